import { eventIterator, oc, type } from '@orpc/contract'
import { z } from 'zod'
import { PLACE_NAME, type PlaceRemoved, type PlaceRun, type PlaceTest, type PlaceView } from '../../model/place/place'
import type { MoveProgress } from '../../model/place/move'
import type { ModelCallPush } from '../../model/place/client-model'

const placeId = z.string().regex(PLACE_NAME)
/** Must not look like an option of the program that gets it. */
const word = z
  .string()
  .min(1)
  .max(500)
  .regex(/^(?!-)[^\s\p{Cc}]+$/u)
const file = z.string().min(1).max(4000)
const containerProgram = z.enum(['docker', 'podman'])
/** An absolute path of this machine without `,` and `:`, which have a meaning for container programs. */
const folder = z
  .string()
  .max(4000)
  .regex(/^(?:\/|[A-Za-z]:[\\/])[^,:\p{Cc}]*$/u)
const dnsLabel = z
  .string()
  .max(253)
  .regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/)
/** An amount as Kubernetes writes it: `512Mi`, `16Gi`. */
const quantity = z.string().regex(/^[1-9]\d{0,9}(?:[kMGTP]|[KMGTP]i)?$/)
const host = { host: word, configFile: file.optional() }

export const placeLaunch = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ssh'), ...host, port: z.int().min(1).max(65_535).optional() }),
  z.strictObject({
    kind: z.literal('slurm'),
    host: word.optional(),
    configFile: file.optional(),
    partition: word.optional(),
    time: z
      .string()
      .regex(/^[\d:-]{1,20}$/)
      .optional(),
    cpus: z.int().min(1).max(100_000).optional(),
    memory: z
      .string()
      .regex(/^\d{1,9}[KMGT]?$/)
      .optional(),
    account: word.optional(),
    agentJobs: z.boolean().optional(),
  }),
  z
    .strictObject({
      kind: z.literal('container'),
      program: containerProgram,
      container: word.optional(),
      image: word.optional(),
      mount: folder.optional(),
      perSession: z.boolean().optional(),
    })
    .refine(({ container, image }) => (container === undefined) !== (image === undefined), {
      message: 'Name either a running container or an image.',
    })
    .refine(({ image, mount, perSession }) => image !== undefined || (mount === undefined && perSession !== true), {
      message: 'A folder to mount, and a container for each session, need an image.',
    }),
  z.strictObject({
    kind: z.literal('devcontainer'),
    folder,
    configFile: file.optional(),
    program: containerProgram.optional(),
    perSession: z.boolean().optional(),
  }),
  z
    .strictObject({
      kind: z.literal('kubernetes'),
      configFile: file.optional(),
      context: z.string().min(1).max(500).optional(),
      namespace: dnsLabel.optional(),
      image: word.optional(),
      pool: dnsLabel.optional(),
      cpus: z.number().min(0.01).max(10_000).optional(),
      memory: quantity.optional(),
      storage: quantity.optional(),
      runtimeClass: dnsLabel.optional(),
      perSession: z.boolean().optional(),
    })
    .refine(({ image, pool }) => (image === undefined) !== (pool === undefined), {
      message: 'Name either an image or a pool.',
    })
    .refine(
      ({ pool, cpus, memory, storage, runtimeClass }) =>
        pool === undefined || [cpus, memory, storage, runtimeClass].every((field) => field === undefined),
      { message: 'Cores, memory, storage and runtime class are those of the pool.' },
    ),
])

const clientModel = z.strictObject({
  id: z.string().min(3).max(300),
  label: z.string().max(300),
  contextWindow: z.int().min(1),
  maxOutputTokens: z.int().min(1).optional(),
  toolCalls: z.boolean(),
  imagesIn: z.boolean(),
  thinking: z.boolean(),
  traits: z.record(z.string(), z.unknown()).optional(),
})

/** Places: other machines, containers and jobs that sessions can work in. */
export const placeContract = {
  list: oc.output(type<PlaceView[]>()),
  /** Adds a place without connecting. `place.taken` when the name is in use. */
  add: oc
    .input(
      z.strictObject({
        placeId,
        launch: placeLaunch,
        home: file.optional(),
        program: file.optional(),
        models: z.enum(['here', 'there']).optional(),
        keepsRunning: z.boolean().optional(),
      }),
    )
    .output(type<PlaceView>()),
  /** Connects, copies Trestle there if needed, and reports each step with the actual reason of a failure. */
  test: oc.input(z.strictObject({ placeId })).output(type<PlaceTest>()),
  /** Connects, and forwards ssh's questions to the user. Returns when connected. */
  connect: oc.input(z.strictObject({ placeId })).output(type<PlaceView>()),
  /** Disconnects. Running work continues if the engine there keeps running. */
  disconnect: oc.input(z.strictObject({ placeId })).output(type<PlaceView>()),
  /** Answers a question of ssh; null cancels. The answer is forwarded and never stored. */
  answer: oc
    .input(z.strictObject({ placeId, questionId: z.string().max(100), answer: z.string().max(10_000).nullable() }))
    .output(type<void>()),
  /** Copies this version there, and removes older versions that are not in use. */
  update: oc.input(z.strictObject({ placeId })).output(type<PlaceTest>()),
  /**
   * Removes it from the list, and stops the container or Sandbox that was started for it; its contents stay, and it can
   * be restored. `deletes`: deletes the container or Sandbox permanently, with everything in it.
   */
  remove: oc.input(z.strictObject({ placeId, deletes: z.boolean().optional() })).output(type<PlaceRemoved>()),
  restore: oc.input(z.strictObject({ placeId })).output(type<PlaceView>()),
  /** Runs a shell command there, as the user and without the agent. */
  run: oc.input(z.strictObject({ placeId, command: z.string().min(1).max(100_000) })).output(type<PlaceRun>()),
  /**
   * Moves a session to a place, or with `to: null` to this machine, with its project and everything that can be undone;
   * the session is sealed at its source. Continues if the subscription ends early. `folder`: where to put its project
   * if it was never there. If the move fails, the session continues at its source, except with `move.unfinished`.
   */
  move: oc
    .input(
      z.strictObject({
        sessionId: z.string().min(1).max(100),
        to: placeId.nullable(),
        folder: z.string().min(1).max(4000).optional(),
      }),
    )
    .output(eventIterator(type<MoveProgress>())),
  /**
   * Forwards a TCP port of the place to this machine's loopback until the place is disconnected; returns the port here,
   * which is the same if it is free.
   */
  forward: oc.input(z.strictObject({ placeId, port: z.int().min(1).max(65_535) })).output(type<{ port: number }>()),
  /**
   * Provides models of the client to this engine for as long as the subscription lasts: each event is a request to one
   * of them, which `place.modelReply` answers. Keys stay with the client.
   */
  serveModels: oc
    .input(
      z.strictObject({
        models: z.array(clientModel).max(1000),
        defaultModel: z.string().max(300).optional(),
        smallModel: z.string().max(300).optional(),
      }),
    )
    .output(eventIterator(type<ModelCallPush>())),
  /** A part of the answer to a request; the last one has `done` or `failure`. Harmless when the request has ended. */
  modelReply: oc
    .input(
      z.strictObject({
        callId: z.string().max(100),
        chunks: z.array(z.record(z.string(), z.unknown())).max(10_000),
        done: z.literal(true).optional(),
        failure: z.record(z.string(), z.unknown()).optional(),
      }),
    )
    .output(type<void>()),
}
