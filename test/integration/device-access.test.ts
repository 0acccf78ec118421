import { afterEach, beforeEach, expect, test } from 'vitest'
import { createForwardingRouter } from '../../src/main/api/server/forwarding-router'
import { createRouter, directClient, type ApiRouter } from '../../src/main/api/server/router'
import type { HostActions } from '../../src/main/api/implementer'
import { contract } from '../../src/shared/contract'
import { mayCall, METHOD_ACCESS, needed } from '../../src/shared/contract/method-access'
import { DEVICE_ACCESS, type DeviceAccess } from '../../src/shared/model/place/paired-device'
import { failureFrom } from '../../src/renderer/client/failure-from'
import { memoryEngine, type MemoryEngine } from '../support/memory-engine'

let engine: MemoryEngine
beforeEach(() => {
  engine = memoryEngine()
})
afterEach(() => engine.close())

const everyMethod = Object.entries(contract).flatMap(([namespace, methods]) =>
  Object.keys(methods).map((method) => `${namespace}.${method}`),
)
const host = (access?: DeviceAccess): HostActions => ({
  kind: 'web',
  chooseFolder: async () => null,
  openExternal: async () => false,
  ...(access && { access }),
})
const logBug = (): void => undefined
const routers: Record<string, (access: DeviceAccess) => ApiRouter> = {
  'of this process': (access) => createRouter({ engine, host: host(access), logBug }),
  'that forwards to another': (access) =>
    createForwardingRouter({
      client: directClient(createRouter({ engine, host: host(), logBug })),
      host: host(access),
      logBug,
    }),
}

test('every method, and nothing else, declares who may call it', () => {
  const classified = Object.entries(METHOD_ACCESS).flatMap(([namespace, methods]) =>
    Object.keys(methods).map((method) => `${namespace}.${method}`),
  )
  expect(classified.toSorted()).toEqual(everyMethod.toSorted())
})

test('a name that is not a method may not be called', () => {
  for (const name of [
    '',
    'session',
    'session.',
    'session.nothing',
    'session.list.more',
    '__proto__.x',
    'session.constructor',
  ])
    for (const access of DEVICE_ACCESS) expect([name, mayCall(access, name)]).toEqual([name, false])
})

test('methods named after a change require more than read access', () => {
  const changes =
    /^(add|change|create|remove|restore|save|set|send|stop|delete|move|import|accept|trust|pair|revoke|reply|prompt|steer|input|open|run|update|commit|merge|push|install)(?=[A-Z]|$)/
  const reading = everyMethod.filter((method) => needed(method) === 'read' && changes.test(method.split('.')[1]!))
  expect(reading).toEqual(['session.open', 'git.trustView', 'git.commitDetails', 'git.commitDiff'])
})

test.each(Object.keys(routers).flatMap((kind) => DEVICE_ACCESS.map((access) => [kind, access] as const)))(
  'a router %s refuses a device with %s access every other method, whatever its input',
  async (kind, access) => {
    const client = directClient(routers[kind]!(access)) as unknown as Record<
      string,
      Record<string, (input: unknown, options: { signal: AbortSignal }) => Promise<unknown>>
    >
    const stopped = new AbortController()
    const codes: Record<string, string> = {}
    for (const method of everyMethod) {
      const [namespace = '', verb = ''] = method.split('.')
      if (mayCall(access, method)) continue
      for (const input of [undefined, {}, { sessionId: 'x' }])
        codes[method] = await client[namespace]![verb]!(input, { signal: stopped.signal }).then(
          () => 'answered',
          (error: unknown) => failureFrom(error).code,
        )
    }
    for (const [method, code] of Object.entries(codes))
      expect([method, code]).toEqual([method, needed(method) === 'computer' ? 'device.not_here' : 'device.read_only'])
    expect(Object.keys(codes).length).toBeGreaterThan(50)
  },
)
