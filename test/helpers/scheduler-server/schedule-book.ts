import { isDeepStrictEqual } from 'node:util';
import { fireTime, type ScheduleRequest } from './schedule-request.ts';
import { SchedulerError } from './scheduler-error.ts';

export interface Schedule extends Omit<ScheduleRequest, 'ClientToken'> {
  readonly Arn: string;
  readonly CreationDate: number;
  readonly LastModificationDate: number;
}

interface Entry {
  readonly schedule: Schedule;
  /** Null once it has fired. */
  readonly dueAt: number | null;
}

const ACCOUNT = 'arn:aws:scheduler:local:000000000000';
const MAX_PAGE = 100;

/** The schedules and groups of one account. Dates are in seconds, as on the wire. */
export class ScheduleBook {
  readonly #groups = new Map<string, { readonly createdAt: number; readonly entries: Map<string, Entry> }>();
  /** What was asked under each client token. */
  readonly #asked = new Map<string, Omit<ScheduleRequest, 'ClientToken'>>();

  constructor(private readonly now: () => number) {
    this.createGroup('default');
  }

  createGroup(name: string): string {
    if (this.#groups.has(name)) throw new SchedulerError('ConflictException', `Schedule group ${name} already exists.`);
    this.#groups.set(name, { createdAt: this.now() / 1000, entries: new Map() });
    return groupArn(name);
  }

  getGroup(name: string) {
    const { createdAt } = this.#group(name);
    return {
      Arn: groupArn(name),
      Name: name,
      State: 'ACTIVE',
      CreationDate: createdAt,
      LastModificationDate: createdAt,
    };
  }

  deleteGroup(name: string): void {
    this.#group(name);
    if (name === 'default')
      throw new SchedulerError('ValidationException', 'The default schedule group cannot be deleted.');
    this.#groups.delete(name);
  }

  listGroups() {
    return [...this.#groups.keys()].sort().map((name) => this.getGroup(name));
  }

  /** The same request under the same token is one request. */
  create({ ClientToken, ...request }: ScheduleRequest): Schedule {
    const { entries } = this.#group(request.GroupName);
    const asked = ClientToken === undefined ? undefined : this.#asked.get(ClientToken);
    const present = entries.get(request.Name)?.schedule;
    if (asked !== undefined && present !== undefined && isDeepStrictEqual(asked, request)) return present;
    if (present !== undefined || asked !== undefined) {
      const what =
        asked === undefined ? `Schedule ${request.Name} already exists.` : 'The client token was used before.';
      throw new SchedulerError('ConflictException', what);
    }
    if (ClientToken !== undefined) this.#asked.set(ClientToken, request);
    return this.#put(request, this.now() / 1000);
  }

  /** Everything is replaced; what is left out takes its default. */
  update({ ClientToken: _token, ...request }: ScheduleRequest): Schedule {
    return this.#put(request, this.get(request.GroupName, request.Name).CreationDate);
  }

  get(group: string, name: string): Schedule {
    const entry = this.#group(group).entries.get(name);
    if (entry === undefined) throw new SchedulerError('ResourceNotFoundException', `Schedule ${name} does not exist.`);
    return entry.schedule;
  }

  delete(group: string, name: string): void {
    this.get(group, name);
    this.#group(group).entries.delete(name);
  }

  list(filter: {
    readonly group?: string | undefined;
    readonly prefix?: string | undefined;
    readonly state?: string | undefined;
    readonly after?: string | undefined;
    readonly max?: number | undefined;
  }): { readonly schedules: readonly Schedule[]; readonly next: string | null } {
    const groups = filter.group === undefined ? [...this.#groups.values()] : [this.#group(filter.group)];
    const found = groups
      .flatMap(({ entries }) => [...entries.values()].map(({ schedule }) => schedule))
      .filter(({ Name, State }) => Name.startsWith(filter.prefix ?? '') && State === (filter.state ?? State))
      .filter(({ Arn }) => Arn > (filter.after ?? ''))
      .sort((a, b) => (a.Arn < b.Arn ? -1 : 1));
    const schedules = found.slice(0, Math.min(filter.max ?? MAX_PAGE, MAX_PAGE));
    return { schedules, next: found.length > schedules.length ? (schedules.at(-1)?.Arn ?? null) : null };
  }

  nextDueAt(): number | null {
    const times = this.#entries().flatMap(({ dueAt }) => dueAt ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Takes what is due: it fires once, and is gone if it was to be deleted then. */
  takeDue(): readonly Schedule[] {
    const due = this.#entries().filter(({ dueAt }) => dueAt !== null && dueAt <= this.now());
    for (const { schedule } of due) {
      const { entries } = this.#group(schedule.GroupName);
      if (schedule.ActionAfterCompletion === 'DELETE') entries.delete(schedule.Name);
      else entries.set(schedule.Name, { schedule, dueAt: null });
    }
    return due.map(({ schedule }) => schedule);
  }

  #entries(): readonly Entry[] {
    return [...this.#groups.values()].flatMap(({ entries }) => [...entries.values()]);
  }

  /** A time in the past is refused: harsher than the service may be, so that nobody relies on what it does then. */
  #put(request: Omit<ScheduleRequest, 'ClientToken'>, createdAt: number): Schedule {
    const at = fireTime(request);
    if (at < this.now())
      throw new SchedulerError('ValidationException', `Invalid Schedule Expression ${request.ScheduleExpression}.`);
    const schedule: Schedule = {
      ...request,
      Arn: `${ACCOUNT}:schedule/${request.GroupName}/${request.Name}`,
      CreationDate: createdAt,
      LastModificationDate: this.now() / 1000,
    };
    const dueAt = request.State === 'ENABLED' ? at : null;
    this.#group(request.GroupName).entries.set(request.Name, { schedule, dueAt });
    return schedule;
  }

  #group(name: string) {
    const group = this.#groups.get(name);
    if (group === undefined)
      throw new SchedulerError('ResourceNotFoundException', `Schedule group ${name} does not exist.`);
    return group;
  }
}

const groupArn = (name: string): string => `${ACCOUNT}:schedule-group/${name}`;
