import type { InboxEntry } from '../../../shared/model/approval'
import type { Place, PlaceRun, PlaceTest, PlaceView } from '../../../shared/model/place'
import type { SessionSummary } from '../../../shared/model/session'
import type { Task } from '../../../shared/model/task'
import type { ClientModels } from '../model/client-models'
import type { LaunchAsk } from './launcher/launcher'
import type { PlacesOptions, RoutedCall } from './places'

/** Other machines, containers and jobs that sessions can work in; and models that clients make the calls to. */
export interface PlaceActions {
  list(): Promise<PlaceView[]>
  add(place: Omit<Place, 'addedAt'>): Promise<PlaceView>
  remove(placeId: string): Promise<void>
  restore(placeId: string): Promise<PlaceView>
  /** `way`: where ssh may ask; `user`: in the view of the place. */
  connect(placeId: string, way: LaunchAsk['way']): Promise<PlaceView>
  disconnect(placeId: string): Promise<PlaceView>
  test(placeId: string, way: LaunchAsk['way']): Promise<PlaceTest>
  update(placeId: string, way: LaunchAsk['way']): Promise<PlaceTest>
  run(placeId: string, command: string): Promise<PlaceRun>
  answer(placeId: string, questionId: string, answer: string | null): Promise<void>
  /** Keeps the places connected from now on, for a client that shows their sessions. */
  follow(): Promise<void>
  /** What is known of the sessions, requests and tasks on places; empty until `follow`. */
  sessions(): SessionSummary[]
  inbox(): InboxEntry[]
  tasks(): Task[]
  /** How a call reaches the place it is about; undefined: it is about this machine. */
  route(method: string, input: unknown): RoutedCall | undefined | Promise<RoutedCall | undefined>
  serveModels: ClientModels['serve']
  modelReply: ClientModels['reply']
}

/** What tests set. */
export type PlaceTestOptions = Pick<PlacesOptions, 'bundle' | 'ssh' | 'timing' | 'limits'>
