/** A request as it goes over the wire. */
export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for no body. */
  readonly text: string;
  /** As API Gateway hands over a body it takes for binary; over HTTP there is no such thing. */
  readonly base64: boolean;
}

const SHOWN = 1_000;
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** So that a shell, an editor and a log keep it. */
const escaped = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cs}\p{Cf}]/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
/** Many of the same are counted rather than shown. */
const bounded = (text: string): string => {
  const short = text.replace(/(.{1,6}?)\1{30,}/gsu, (all, unit: string) => `${unit}…×${all.length / unit.length}`);
  return short.length <= SHOWN ? short : `${short.slice(0, SHOWN)}…(${text.length} characters)`;
};

/** As one would type it; control characters are shown as \\u escapes. */
export function curlLine({ method, url, headers, text, base64 }: WireRequest): string {
  const given = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const body = text === '' ? [] : [`--data-binary ${quoted(bounded(escaped(text)))}`];
  const note = base64 ? ['# handed over in base64'] : [];
  return [
    'curl',
    '-X',
    method,
    ...given,
    ...body,
    quoted(bounded(`http://127.0.0.1:8750${escaped(url)}`)),
    ...note,
  ].join(' ');
}
