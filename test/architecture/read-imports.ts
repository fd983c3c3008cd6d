const COMMENT_OR_STRING = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g;

const isComment = (token: string): boolean => token.startsWith('//') || token.startsWith('/*');
const isTemplate = (token: string): boolean => token.startsWith('`');

const IMPORTS: readonly RegExp[] = [
  /\b(?:import|export)\b[^'"`;]*?\bfrom\s*(['"])([^'"\n]+)\1/g,
  /\bimport\s*(['"])([^'"\n]+)\1/g,
  /\b(?:import|require)\s*\(\s*(['"`])([^'"`\n]+)\1/g,
];

/** Text, not syntax: a regular expression literal that holds a quote or `//` hides the rest of its line. */
export const withoutComments = (source: string): string =>
  source.replace(COMMENT_OR_STRING, (token) => (isComment(token) ? ' ' : token));

/** Templates stay, because they hold code. */
export const withoutStrings = (source: string): string =>
  source.replace(COMMENT_OR_STRING, (token) => (isTemplate(token) ? token : isComment(token) ? ' ' : "''"));

export const readImports = (source: string): readonly string[] => {
  const code = withoutComments(source);
  const found = new Set<string>();
  for (const pattern of IMPORTS) for (const match of code.matchAll(pattern)) if (match[2]) found.add(match[2]);
  return [...found];
};
