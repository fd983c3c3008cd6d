interface JsonFieldProps {
  readonly label: string;
  readonly rows: number;
  readonly value: string;
  /** Whether what was typed is JSON, or nothing. */
  readonly onChange: (value: string, isJson: boolean) => void;
}

export const JsonField = ({ label, rows, value, onChange }: JsonFieldProps) => {
  const wrong = jsonProblem(value);
  const tell = (text: string): void => onChange(text, jsonProblem(text) === null);
  return (
    <>
      <label class="field">
        <span>{label}</span>
        <textarea
          rows={rows}
          class="mono"
          value={value}
          spellcheck={false}
          aria-invalid={wrong !== null}
          onInput={(event) => tell(event.currentTarget.value)}
        />
      </label>
      {wrong !== null && <p class="error-text">{wrong}</p>}
    </>
  );
};

function jsonProblem(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return `This is no JSON: ${(error as Error).message}`;
  }
}
