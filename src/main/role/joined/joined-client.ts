import type { TrestleClient } from '../../../shared/contract'
import type { RecordedEvent } from '../../../shared/events/event'
import { CodedError } from '../../../shared/errors'
import { connectWire } from '../../wire/wire-client'
import { attachEngine, type AttachOptions, findSharedEngine } from '../attach'
import { EngineLink } from '../engine-link'
import { differentInEngine, ownProcessText } from '../environment-check'
import type { ClientEngine } from './client-engine'
import { JoinedState } from './joined-state'
import { CapabilityServer } from './serve-capabilities'

/** How many of the latest events are searched for a restore that can be undone. */
const LATEST_EVENTS = 1000
/** Events read per request. */
const PAGE = 500

/**
 * The engine of the home in another process with the same environment, started if that is enabled. Otherwise undefined;
 * if one runs, `say` gets the reason. `what`: the name of this program in that reason.
 */
export async function joinAsClient(
  what: string,
  options: AttachOptions,
  say: (message: string) => void,
): Promise<ClientEngine | undefined> {
  const found = await findSharedEngine(options)
  if (!found) return undefined
  const wire = connectWire(found.socket)
  const different = await differentInEngine(wire.client, found.key)
  if (different?.length !== 0) {
    wire.close()
    say(ownProcessText(what, different))
    return undefined
  }
  const link = new EngineLink({
    first: wire,
    open: async () => (await attachEngine(options)).socket,
  })
  const { client } = link
  const [settings, inbox] = await Promise.all([client.settings.get(), client.approval.list()])
  return joinedClient(link, new JoinedState(link, settings, inbox))
}

function joinedClient(link: EngineLink, state: JoinedState): ClientEngine {
  const { client } = link
  const capabilityServer = new CapabilityServer(client, (sessionId) => state.header(sessionId))
  return {
    notices: [],
    problems: () => [],
    sessions: sessionsOf(client, state, capabilityServer),
    settings: { view: () => state.settings, models: () => state.settings.models },
    inbox: {
      list: () => state.inbox,
      get: (sessionId, approvalId) => client.approval.get({ sessionId, approvalId }),
      choices: (sessionId, approvalId) => client.approval.choices({ sessionId, approvalId }),
    },
    plans: {
      enter: async (sessionId) => state.reach(await client.plan.enter({ sessionId })),
      leave: async (sessionId) => state.reach(await client.plan.leave({ sessionId })),
    },
    checkpoints: {
      points: (sessionId) => client.checkpoint.points({ sessionId }),
      preview: (sessionId, request) => client.checkpoint.preview({ sessionId, ...restoreInput(request) }),
      async restore(sessionId, request) {
        const result = await client.checkpoint.restore({ sessionId, ...restoreInput(request) })
        await state.caughtUp(sessionId)
        return result
      },
      async latestRestore(sessionId) {
        const { events } = await client.session.open({ sessionId, limit: LATEST_EVENTS })
        return events.findLast(
          (event): event is RecordedEvent & { type: 'checkpoint.restored' } => event.type === 'checkpoint.restored',
        )
      },
    },
    trust: { view: (folder) => client.trust.get({ folder }) },
    skills: { list: (folder) => client.skill.list({ folder }) },
    agents: { list: (folder) => client.agent.list({ folder }) },
    mcp: {
      list: (folder) => client.mcp.list(folder === undefined ? {} : { folder }),
      useInSession: (sessionId, servers) => capabilityServer.useServers(sessionId, servers),
      leave: (sessionId) => capabilityServer.useServers(sessionId, {}),
    },
    mcpContent: {
      async prompts(sessionId) {
        await capabilityServer.ready(sessionId)
        return client.mcpContent.prompts({ sessionId })
      },
      resources: (sessionId, query, limit) => client.mcpContent.resources({ sessionId, query, limit }),
    },
    tasks: {
      list: ({ activeOnly = false, limit }) => client.task.list({ activeOnly, ...(limit !== undefined && { limit }) }),
      stop: (taskId, reason) => client.task.stop({ taskId, ...(reason !== undefined && { reason }) }),
      onExit: () => 'keep',
    },
    alarms: {
      list: () => [],
      stop: () => {
        throw new CodedError('request.invalid', 'The engine stops its own alarms.')
      },
    },
    onChange(listener) {
      state.listeners.add(listener)
      return () => state.listeners.delete(listener)
    },
    registerCapabilities: (sessionId, capabilities) => capabilityServer.register(sessionId, capabilities),
    async close() {
      state.closed.abort()
      link.close()
    },
  }
}

function sessionsOf(
  client: TrestleClient,
  state: JoinedState,
  capabilityServer: CapabilityServer,
): ClientEngine['sessions'] {
  return {
    list: (filter) => client.session.list(filter),
    async create({ addedFolders = [], schedule: _none, ...input }) {
      const made = await client.session.create(input)
      const { sessionId } = made
      return state.reach(addedFolders.length > 0 ? await client.session.change({ sessionId, addedFolders }) : made)
    },
    async open(sessionId, limit) {
      const opened = await client.session.open({ sessionId, limit })
      await state.reach(opened.header)
      return opened
    },
    header: (sessionId) => state.header(sessionId),
    read: (sessionId) => state.read(sessionId),
    async since(sessionId, since, limit = PAGE) {
      // Their numbers have no gaps.
      const { events } = await client.session.window({ sessionId, before: since + limit + 1, limit })
      return events.filter(({ seq }) => seq > since)
    },
    // Live events arrive with the next events.
    live: () => [],
    change: async (sessionId, change) => state.reach(await client.session.change({ sessionId, ...change })),
    remove: (sessionId) => client.session.remove({ sessionId }),
    async prompt(sessionId, parts) {
      await capabilityServer.ready(sessionId)
      const result = await client.session.prompt({ sessionId, parts })
      await state.caughtUp(sessionId)
      return result
    },
    async stop(sessionId) {
      await client.session.stop({ sessionId })
      await state.caughtUp(sessionId)
    },
    async reply(sessionId, answer) {
      const { approvalId } = answer
      // Answered or deleted: it must not be shown again, even before the engine has pushed its list.
      const forget = (): void => void (state.inbox = state.inbox.filter((entry) => entry.approvalId !== approvalId))
      try {
        await client.approval.reply({ sessionId, ...answer })
        forget()
      } catch (error) {
        if (error instanceof CodedError && error.code === 'approval.gone') forget()
        throw error
      }
    },
    async removeQueued(sessionId, promptId) {
      await client.session.removeQueued({ sessionId, promptId })
      await state.caughtUp(sessionId)
    },
    async compact(sessionId, instruction) {
      const { compacted } = await client.session.compact({
        sessionId,
        ...(instruction !== undefined && { instruction }),
      })
      await state.caughtUp(sessionId)
      return compacted
    },
    context: (sessionId) => client.session.context({ sessionId }),
    tools: (sessionId) => client.session.tools({ sessionId }),
    completeFile: (sessionId, query, limit) => client.folder.complete({ sessionId, query, limit }),
    listen: (sessionId, listener) => state.listen(sessionId, listener),
  }
}

function restoreInput({ paths, overwrite, ...request }: Parameters<ClientEngine['checkpoints']['restore']>[1]) {
  return {
    ...request,
    ...(paths && { paths: [...paths] }),
    ...(overwrite && { overwrite: overwrite === 'all' ? overwrite : [...overwrite] }),
  }
}
