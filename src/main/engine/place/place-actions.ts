import type { InboxEntry } from '../../../shared/model/approval/approval'
import type { Place, PlaceRemoved, PlaceRun, PlaceTest, PlaceView } from '../../../shared/model/place/place'
import type { SearchHit, SessionSummary } from '../../../shared/model/session/session'
import type { Task, TaskUsage } from '../../../shared/model/task/task'
import type { UsageReport } from '../../../shared/model/turn/usage'
import type { ClientModels } from '../model/client-models'
import type { MoveProgress } from '../../../shared/model/place/move'
import type { LaunchAsk } from './launcher/launcher'
import type { MoveRequest, PlacesOptions, RoutedCall } from './places'

/** Other machines, containers and jobs that sessions can work in; and models that clients make the calls to. */
export interface PlaceActions {
  list(): Promise<PlaceView[]>
  add(place: Omit<Place, 'addedAt'>): Promise<PlaceView>
  /** `deletes`: also the container or Sandbox that was made for it, permanently. */
  remove(placeId: string, deletes?: boolean): Promise<PlaceRemoved>
  restore(placeId: string): Promise<PlaceView>
  /** `way`: where ssh may ask; `user`: in the view of the place. */
  connect(placeId: string, way: LaunchAsk['way']): Promise<PlaceView>
  disconnect(placeId: string): Promise<PlaceView>
  test(placeId: string, way: LaunchAsk['way']): Promise<PlaceTest>
  update(placeId: string, way: LaunchAsk['way']): Promise<PlaceTest>
  run(placeId: string, command: string): Promise<PlaceRun>
  /** Opens a TCP port of the place on this machine, on loopback; returns the one here. */
  forward(placeId: string, port: number): Promise<{ port: number }>
  /** Moves a session; the progress ends with `done`. The move continues if its caller is gone. */
  move(request: MoveRequest): AsyncGenerator<MoveProgress, void, void>
  answer(placeId: string, questionId: string, answer: string | null): Promise<void>
  /** Keeps the places connected from now on, for a client that shows their sessions. */
  follow(): Promise<void>
  /** What is known of the sessions, requests and tasks on places; empty until `follow`. */
  sessions(): SessionSummary[]
  inbox(): InboxEntry[]
  tasks(): Task[]
  /** What running tasks there use, for as long as it is watched. */
  usage(): TaskUsage[]
  watchUsage(changed: () => void): () => void
  /** Adds what was spent on the places that can be reached. `place`: only that one, or (null) only this machine. */
  addUsage(report: UsageReport, days: number, place?: string | null): Promise<UsageReport>
  /** Adds messages that the places find. */
  addHits(hits: SearchHit[], query: string, limit: number): Promise<SearchHit[]>
  /** How a call reaches the place it is about; undefined: it is about this machine. */
  route(method: string, input: unknown): RoutedCall | undefined | Promise<RoutedCall | undefined>
  serveModels: ClientModels['serve']
  modelReply: ClientModels['reply']
  /** Whether an answer is being waited for that only a client can give. */
  asksClients: ClientModels['isAsking']
}

/** What tests set. */
export type PlaceTestOptions = Pick<PlacesOptions, 'bundle' | 'ssh' | 'timing' | 'limits'>
