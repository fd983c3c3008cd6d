import { rmSync } from 'node:fs';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { PortError } from '../shared/ports/port-error.ts';
import type { Key } from '../shared/ports/table.ts';
import { closeDatabase, openDatabase, openMemoryDatabase, pidFile } from './open-database.ts';

const MAX_GROUP = 4_000;
const READS_PER_TURN = 20;
/** How many turns of the event loop a write may wait for another one to share its commit with. */
const SOON_TURNS = 4;
/** How long nothing is written before the log is brought into the file: nobody waits for it then. */
const IDLE_MS = 100;

export interface SqliteStoreOptions {
  /** For fault injection: throwing here is a failed COMMIT. */
  readonly beforeCommit?: () => void;
}

interface Member {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: PortError) => void;
  readonly answer: unknown;
  readonly refusal: PortError | null;
}

interface Group {
  readonly members: Member[];
  readonly changed: Key[];
  readonly after: (() => void)[];
  readonly scheduled: NodeJS.Immediate;
}

/**
 * Group commit: operations run at once inside one open transaction, and their promises settle after its
 * COMMIT has been fsynced. So no answer, a read or a losing item included, shows what a crash could undo.
 */
export class SqliteStore {
  readonly #statements = new Map<string, StatementSyncInstance>();
  readonly #onClose: (() => void)[] = [];
  readonly #onChange: ((keys: readonly Key[]) => void)[] = [];
  readonly #onCommit: (() => void)[] = [];
  readonly #onRollback: (() => void)[] = [];
  readonly #soon: (() => void)[] = [];
  #group: Group | null = null;
  #open = true;
  #reads = 0;
  #idle: NodeJS.Timeout | null = null;

  static open(directory: string, options: SqliteStoreOptions = {}): SqliteStore {
    return new SqliteStore(directory, openDatabase(directory), options);
  }

  /** Gone with its process: for tests of workflows. */
  static inMemory(): SqliteStore {
    return new SqliteStore(null, openMemoryDatabase(), {});
  }

  private constructor(
    readonly directory: string | null,
    private readonly db: DatabaseSyncInstance,
    private readonly options: SqliteStoreOptions,
  ) {}

  prepare(sql: string): StatementSyncInstance {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** The operation must decide before it writes: a PortError it throws rejects it alone and undoes nothing. */
  write<T>(operation: () => T): Promise<T> {
    try {
      return this.#join(this.#require(), operation);
    } catch (error) {
      return Promise.reject(error as PortError);
    }
  }

  /** The same for what nobody waits for: it shares the commit of the next write, if one comes in the next few turns. */
  writeSoon<T>(operation: () => T): Promise<T> {
    if (this.#group !== null || !this.#open) return this.write(operation);
    return new Promise((resolve, reject) => {
      this.#soon.push(() => void this.write(operation).then(resolve, reject));
      if (this.#soon.length === 1) this.#waitForOthers(SOON_TURNS);
    });
  }

  /**
   * Does it with the group, and answers before the commit: for what may be known although a crash can undo it, such as
   * who has a message. It must look at nothing that is not committed.
   */
  enter<T>(operation: () => T): T {
    const group = this.#require();
    try {
      return operation();
    } catch (error) {
      if (error instanceof PortError) throw error;
      throw this.#abandon(group, error);
    }
  }

  /** Waits for the open group, since it may see what the group wrote; answers at once if there is none. */
  read<T>(operation: () => T): Promise<T> {
    if (!this.#open) return Promise.reject(closed());
    if (this.#group !== null) return this.#join(this.#group, operation);
    try {
      const answer = operation();
      this.#reads += 1;
      if (this.#reads % READS_PER_TURN !== 0) return Promise.resolve(answer);
      // A long loop of reads would keep everybody else waiting.
      return new Promise((resolve) => setImmediate(() => resolve(answer)));
    } catch (cause) {
      return Promise.reject(
        cause instanceof PortError
          ? cause
          : new PortError('unavailable', `the store cannot read: ${(cause as Error).message}`, { cause }),
      );
    }
  }

  /** Inside an operation: calls back once its group has ended, well or badly. */
  afterGroup(callback: () => void): void {
    this.#group?.after.push(callback);
  }

  /** Inside an operation: an item has changed, and those who wait for it are told once its group has ended. */
  noteChange(key: Key): void {
    this.#group?.changed.push(key);
  }

  onChange(callback: (keys: readonly Key[]) => void): void {
    this.#onChange.push(callback);
  }

  /** A group is about to be committed: what was kept back until then can still be written in it. */
  onCommit(callback: () => void): void {
    this.#onCommit.push(callback);
  }

  /** What was done in a group is undone. */
  onRollback(callback: () => void): void {
    this.#onRollback.push(callback);
  }

  onClose(callback: () => void): void {
    this.#onClose.push(callback);
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#joinSoon();
    if (this.#group !== null) this.#commit(this.#group);
    this.#open = false;
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#statements.clear();
    // Before the lock goes: afterwards the file may be the next holder's.
    if (this.directory !== null) rmSync(pidFile(this.directory), { force: true });
    if (this.directory === null) this.db.close();
    else closeDatabase(this.db);
    for (const callback of this.#onClose) callback();
  }

  #require(): Group {
    if (!this.#open) throw closed();
    try {
      return this.#group ?? this.#begin();
    } catch (cause) {
      throw new PortError('unavailable', `the store cannot write: ${(cause as Error).message}`, { cause });
    }
  }

  #begin(): Group {
    this.prepare('BEGIN').run();
    const scheduled = setImmediate(() => this.#commit(group));
    const group: Group = { members: [], changed: [], after: [], scheduled };
    this.#group = group;
    this.#joinSoon();
    // So many that they were committed at once.
    return this.#group === group ? group : this.#begin();
  }

  #joinSoon(): void {
    for (const join of this.#soon.splice(0)) join();
  }

  #waitForOthers(turns: number): void {
    setImmediate(() => {
      if (this.#soon.length === 0) return;
      if (turns > 0) this.#waitForOthers(turns - 1);
      else this.#joinSoon();
    });
  }

  #join<T>(group: Group, operation: () => T): Promise<T> {
    const answer = new Promise<T>((resolve, reject) => {
      try {
        group.members.push({ resolve, reject, answer: operation(), refusal: null });
      } catch (error) {
        const refusal = error instanceof PortError ? error : null;
        group.members.push({ resolve, reject, answer: undefined, refusal });
        if (refusal === null) this.#abandon(group, error);
      }
    });
    if (this.#group === group && group.members.length >= MAX_GROUP) this.#commit(group);
    return answer;
  }

  #commit(group: Group): void {
    if (this.#group !== group) return;
    clearImmediate(group.scheduled);
    try {
      for (const callback of this.#onCommit) callback();
      this.options.beforeCommit?.();
      this.prepare('COMMIT').run();
    } catch (cause) {
      this.#rollback();
      this.#end(group, new PortError('unknown', `the commit failed: ${(cause as Error).message}`, { cause }));
      return;
    }
    this.#noteBusy();
    this.#end(group, null);
  }

  #noteBusy(): void {
    if (this.#idle === null) this.#idle = setTimeout(() => this.#checkpoint(), IDLE_MS).unref();
    else this.#idle.refresh();
  }

  /** What fails is done with a later commit. */
  #checkpoint(): void {
    this.#idle = null;
    if (!this.#open || this.#group !== null) return;
    try {
      this.db.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // The log grows on, and is still read.
    }
  }

  #abandon(group: Group, cause: unknown): PortError {
    clearImmediate(group.scheduled);
    const undone = this.#rollback();
    const message = `the store failed: ${(cause as Error).message}`;
    const failure = new PortError(undone ? 'unavailable' : 'unknown', message, { cause });
    this.#end(group, failure);
    return failure;
  }

  #rollback(): boolean {
    for (const callback of this.#onRollback) callback();
    try {
      // SQLite has rolled back by itself after some errors (disk full, I/O).
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      return true;
    } catch {
      return false;
    }
  }

  #end(group: Group, failure: PortError | null): void {
    this.#group = null;
    for (const { resolve, reject, answer, refusal } of group.members) {
      const error = failure ?? refusal;
      if (error === null) resolve(answer as never);
      else reject(error);
    }
    if (group.changed.length > 0) for (const callback of this.#onChange) callback(group.changed);
    for (const callback of group.after) callback();
  }
}

const closed = (): PortError => new PortError('unavailable', 'the store is closed');
