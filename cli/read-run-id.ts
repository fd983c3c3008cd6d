import { CliError, EXIT } from './exit-codes.ts';

const RUN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function readRunId(text: string): string {
  const id = text.trim().toLowerCase();
  if (RUN_ID.test(id)) return id;
  throw new CliError(
    `There is no run ${JSON.stringify(text)}: its id is a UUID, as \`kagzi start\` prints it.`,
    EXIT.notFound,
  );
}
