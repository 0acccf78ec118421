import type { InboxEntry } from '../../../shared/model/approval/approval'
import type { Place, PlaceRemoved, PlaceRun, PlaceTest, PlaceView } from '../../../shared/model/place/place'
import type { SearchHit, SessionSummary } from '../../../shared/model/session/session'
import type { Task, TaskUsage } from '../../../shared/model/task/task'
import type { UsageReport } from '../../../shared/model/turn/usage'
import type { ClientModels } from '../model/client-models'
import type { MoveProgress } from '../../../shared/model/place/move'
import type { LaunchAsk } from './launcher/launcher'
import type { MoveRequest, PlacesOptions, RoutedCall } from './places'

/** Other machines, containers and jobs that sessions can work in, and models that clients call for us. */
export interface PlaceActions {
  list(): Promise<PlaceView[]>
  add(place: Omit<Place, 'addedAt'>): Promise<PlaceView>
  /** `deletes`: also permanently deletes the container or Sandbox that was created for it. */
  remove(placeId: string, deletes?: boolean): Promise<PlaceRemoved>
  restore(placeId: string): Promise<PlaceView>
  /** `way`: where ssh can ask; `user`: in the view of the place. */
  connect(placeId: string, way: LaunchAsk['way']): Promise<PlaceView>
  disconnect(placeId: string): Promise<PlaceView>
  test(placeId: string, way: LaunchAsk['way']): Promise<PlaceTest>
  update(placeId: string, way: LaunchAsk['way']): Promise<PlaceTest>
  run(placeId: string, command: string): Promise<PlaceRun>
  /** Forwards a TCP port of the place to loopback of this machine; returns the local port. */
  forward(placeId: string, port: number): Promise<{ port: number }>
  /** Moves a session; the progress ends with `done`. The move continues if its caller is gone. */
  move(request: MoveRequest): AsyncGenerator<MoveProgress, void, void>
  answer(placeId: string, questionId: string, answer: string | null): Promise<void>
  /** From now on keeps the places connected, for a client that shows their sessions. */
  follow(): Promise<void>
  /** The known sessions, requests and tasks on places; empty until `follow`. */
  sessions(): SessionSummary[]
  inbox(): InboxEntry[]
  tasks(): Task[]
  /** Resource usage of running tasks there, while it is watched. */
  usage(): TaskUsage[]
  watchUsage(changed: () => void): () => void
  /** Adds the usage of the places that can be reached. `place`: only that one, or (null) only this machine. */
  addUsage(report: UsageReport, days: number, place?: string | null): Promise<UsageReport>
  /** Adds messages that the places find. */
  addHits(hits: SearchHit[], query: string, limit: number): Promise<SearchHit[]>
  /** Routes a call to the place it concerns; undefined: it concerns this machine. */
  route(method: string, input: unknown): RoutedCall | undefined | Promise<RoutedCall | undefined>
  serveModels: ClientModels['serve']
  modelReply: ClientModels['reply']
  /** Whether an answer is awaited that only a client can provide. */
  asksClients: ClientModels['isAsking']
}

/** Options for tests. */
export type PlaceTestOptions = Pick<PlacesOptions, 'bundle' | 'ssh' | 'timing' | 'limits'>
