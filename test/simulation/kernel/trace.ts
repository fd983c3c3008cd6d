/** What happened, as a running hash, and in words if somebody wants to read it. */
export class Trace {
  /** Keeps the words. */
  readonly lines: string[] = [];
  print = false;
  #hash = 0x811c9dc5;
  #events = 0;

  note(now: number, who: string, what: string): void {
    this.#events += 1;
    this.#mix(who);
    this.#mix(what);
    this.#hash = Math.imul(this.#hash ^ (now % 2 ** 31), 0x01000193) >>> 0;
    if (this.print) this.lines.push(`${clock(now)} ${who.padEnd(14)} ${what}`);
  }

  get hash(): string {
    return `${this.#events}-${this.#hash.toString(16).padStart(8, '0')}`;
  }

  #mix(text: string): void {
    for (let i = 0; i < text.length; i++) this.#hash = Math.imul(this.#hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  }
}

const clock = (now: number): string => new Date(now).toISOString().slice(5, 23).replace('T', ' ');
