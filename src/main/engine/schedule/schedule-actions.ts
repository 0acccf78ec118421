import type {
  PlannedRun,
  Schedule,
  ScheduleHistory,
  ScheduleInput,
  ScheduleOverview,
  ScheduleRun,
  TimePreview,
} from '../../../shared/model/schedule'

/** What the user does with schedules, in any host. Failures are `CodedError`s. */
export interface ScheduleActions {
  overview(deleted?: boolean): Promise<ScheduleOverview>
  /** By id, or by a name that only one has. */
  get(idOrName: string): Promise<Schedule>
  history(id: string, offset: number, limit: number): Promise<ScheduleHistory>
  planned(from: number, until: number): Promise<PlannedRun[]>
  /** A time as it is understood, with the next due times. */
  check(input: Pick<ScheduleInput, 'time' | 'mail' | 'zone' | 'heartbeat' | 'quiet'>): Promise<TimePreview>
  create(input: ScheduleInput): Promise<Schedule>
  change(id: string, input: ScheduleInput): Promise<Schedule>
  setPaused(id: string, isPaused: boolean): Promise<Schedule>
  remove(id: string): Promise<Schedule>
  restore(id: string): Promise<Schedule>
  /** Starts a run in this process. */
  runNow(id: string): Promise<ScheduleRun>
  /** Resolves when no run of this process is at work: each has ended or waits for the user. */
  settled(): Promise<void>
}
