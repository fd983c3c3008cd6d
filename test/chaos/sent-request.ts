const HEAD_END = Buffer.from('\r\n\r\n');

/** An HTTP/1.1 request as its bytes go by: enough of it to know what it is and when it is whole. */
export class SentRequest {
  isWhole = false;
  isWrite = false;
  #seen = Buffer.alloc(0);
  #length: number | null = null;

  add(chunk: Buffer): void {
    this.#seen = Buffer.concat([this.#seen, chunk]);
    if (this.#length === null) this.#readHead();
    this.isWhole = this.#length !== null && this.#seen.length >= this.#length;
  }

  #readHead(): void {
    const end = this.#seen.indexOf(HEAD_END);
    if (end < 0) return;
    const head = this.#seen.subarray(0, end).toString('latin1');
    const body = /^content-length: *(\d+)/im.exec(head)?.[1] ?? '0';
    this.#length = end + HEAD_END.length + Number(body);
    this.isWrite = /^(POST|DELETE) /.test(head) && !/^POST \S+\/poll /.test(head);
  }
}
