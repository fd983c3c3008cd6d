import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { compiledFile } from './compile.ts';
import type { ContenderOptions } from './contender.ts';
import type { WorkloadName, Workloads } from './workloads.ts';

export type SubjectCall =
  | { readonly do: 'workload'; readonly name: WorkloadName; readonly request: unknown }
  | { readonly do: 'start-interrupted'; readonly noteFile: string }
  | { readonly do: 'end-interrupted'; readonly run: string }
  | { readonly do: 'close' };

type Answer = { readonly result: unknown } | { readonly error: string };

/** A contender in a process of its own, so that nothing but itself is in its way. */
export class Subject {
  readonly #child: ChildProcess;
  #waiting: { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void } | null = null;
  #ended = false;

  private constructor(
    readonly name: string,
    options: ContenderOptions,
    node: string,
  ) {
    this.#child = spawn(node, [compiledFile('bench/speed/subject.js'), name, JSON.stringify(options)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child.on('message', (answer: Answer) => {
      if ('error' in answer) this.#waiting?.reject(new Error(`${name}: ${answer.error}`));
      else this.#waiting?.resolve(answer.result);
      this.#waiting = null;
    });
    this.#child.on('exit', (code, signal) => {
      this.#ended = true;
      this.#waiting?.reject(new Error(`${name} ended with ${code ?? signal}`));
    });
  }

  static async start(name: string, options: ContenderOptions, node: string = process.execPath): Promise<Subject> {
    const subject = new Subject(name, options, node);
    await subject.#answer();
    return subject;
  }

  workload<Name extends WorkloadName>(name: Name, request: Parameters<Workloads[Name]>[1]): Promise<number[]> {
    return this.#ask({ do: 'workload', name, request }) as Promise<number[]>;
  }

  startInterrupted(noteFile: string): Promise<string> {
    return this.#ask({ do: 'start-interrupted', noteFile }) as Promise<string>;
  }

  async endInterrupted(run: string): Promise<void> {
    await this.#ask({ do: 'end-interrupted', run });
  }

  /** As a crash would: nothing is told to it. */
  kill(): void {
    this.#waiting = null;
    this.#child.kill('SIGKILL');
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    await this.#ask({ do: 'close' });
    this.#child.disconnect();
    if (!this.#ended) await once(this.#child, 'exit');
  }

  #answer(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  #ask(call: SubjectCall): Promise<unknown> {
    const answer = this.#answer();
    this.#child.send(call);
    return answer;
  }
}
