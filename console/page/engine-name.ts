/** Which engine the page shows, as its server says. */
export interface EngineName {
  readonly name: string;
  readonly url: string;
}
