import type { ApiDeps, Implementer } from '../implementer'
import { allRequests } from '../push/app-push-queue'
import { CodedError } from '../../../shared/errors'
import type { RestoreRequest } from '../../engine/checkpoint/restore-session'

export function sessionHandlers(os: Implementer, { engine: { sessions, marks, places } }: ApiDeps) {
  return {
    list: os.session.list.handler(({ input }) => {
      const here = sessions.list(input)
      const there = input.folder === undefined ? places.sessions().filter(({ archived }) => !archived) : []
      if (there.length === 0) return here
      // A moved session is listed where it continues.
      const moved = new Set(there.map(({ sessionId }) => sessionId))
      return [...here.filter(({ sessionId }) => !moved.has(sessionId)), ...there]
        .sort((a, b) => b.updatedAt - a.updatedAt)
        .slice(0, input.limit)
    }),
    marks: os.session.marks.handler(() => marks.view()),
    mark: os.session.mark.handler(({ input }) => marks.change(input)),
    create: os.session.create.handler(({ input }) => sessions.create(input)),
    open: os.session.open.handler(({ input }) => sessions.open(input.sessionId, input.limit)),
    window: os.session.window.handler(({ input: { sessionId, ...options } }) => sessions.window(sessionId, options)),
    change: os.session.change.handler(({ input: { sessionId, ...change } }) => sessions.change(sessionId, change)),
    remove: os.session.remove.handler(({ input }) => sessions.remove(input.sessionId)),
    search: os.session.search.handler(async ({ input: { query, limit, sessionId } }) => {
      const here = sessions.search(query, limit, sessionId)
      return sessionId === undefined ? places.addHits(here, query, limit) : here
    }),
    fork: os.session.fork.handler(({ input }) => sessions.fork(input.sessionId, input.to)),
    prompt: os.session.prompt.handler(({ input }) =>
      sessions.prompt(input.sessionId, input.parts, {
        ...(input.effort !== undefined && { effort: input.effort }),
        ...(input.unattended && { unattended: { ...input.unattended } }),
      }),
    ),
    steer: os.session.steer.handler(({ input: { sessionId, ...rest } }) => sessions.steer(sessionId, rest)),
    editQueued: os.session.editQueued.handler(({ input }) =>
      sessions.editQueued(input.sessionId, input.promptId, input.parts),
    ),
    removeQueued: os.session.removeQueued.handler(({ input }) =>
      sessions.removeQueued(input.sessionId, input.promptId),
    ),
    moveQueued: os.session.moveQueued.handler(({ input }) =>
      sessions.moveQueued(input.sessionId, input.promptId, input.to),
    ),
    compact: os.session.compact.handler(async ({ input }) => ({
      compacted: await sessions.compact(input.sessionId, input.instruction),
    })),
    undoCompaction: os.session.undoCompaction.handler(({ input }) =>
      sessions.undoCompaction(input.sessionId, input.compactionId),
    ),
    context: os.session.context.handler(({ input }) => sessions.context(input.sessionId)),
    tools: os.session.tools.handler(({ input }) => sessions.tools(input.sessionId)),
    stop: os.session.stop.handler(({ input }) => sessions.stop(input.sessionId)),
  }
}

export function approvalHandlers(os: Implementer, { engine }: ApiDeps) {
  const { inbox, sessions } = engine
  return {
    list: os.approval.list.handler(() => allRequests(engine)),
    get: os.approval.get.handler(({ input }) => inbox.get(input.sessionId, input.approvalId)),
    choices: os.approval.choices.handler(({ input }) => inbox.choices(input.sessionId, input.approvalId)),
    proposal: os.approval.proposal.handler(
      async ({ input: { sessionId, approvalId, edited } }) =>
        (await sessions.proposal(sessionId, approvalId, edited)) ?? null,
    ),
    reply: os.approval.reply.handler(
      ({ input: { sessionId, rule, feedback, comments, answers, values, edited, ...answer } }) =>
        sessions.reply(sessionId, {
          ...answer,
          ...(edited && { edited }),
          ...(feedback !== undefined && { feedback }),
          ...(rule && { rule }),
          ...(comments && { comments }),
          ...(values && { values }),
          ...(answers && {
            answers: answers.map(({ labels, other }) => ({ labels, ...(other !== undefined && { other }) })),
          }),
        }),
    ),
  }
}

export function checkpointHandlers(os: Implementer, { engine: { checkpoints } }: ApiDeps) {
  return {
    points: os.checkpoint.points.handler(({ input }) => checkpoints.points(input.sessionId)),
    preview: os.checkpoint.preview.handler(({ input: { sessionId, ...request } }) =>
      checkpoints.preview(sessionId, requestOf(request)),
    ),
    restore: os.checkpoint.restore.handler(({ input: { sessionId, ...request } }) =>
      checkpoints.restore(sessionId, requestOf(request)),
    ),
    files: os.checkpoint.files.handler(({ input }) => checkpoints.files(input.sessionId)),
    hunks: os.checkpoint.hunks.handler(({ input }) => checkpoints.hunks(input.sessionId, input.path)),
    undoHunk: os.checkpoint.undoHunk.handler(({ input }) =>
      checkpoints.undoHunk(input.sessionId, input.path, input.hunkId),
    ),
  }
}

function requestOf({
  paths,
  overwrite,
  ...request
}: {
  to: number
  files: boolean
  conversation: boolean
  paths?: string[] | undefined
  overwrite?: string[] | 'all' | undefined
}): RestoreRequest {
  if (!request.files && !request.conversation)
    throw new CodedError('request.invalid', 'files, conversation: at least one of them.')
  if (paths && request.conversation) throw new CodedError('request.invalid', 'paths: go with files alone.')
  return { ...request, ...(paths && { paths }), ...(overwrite && { overwrite }) }
}

export function planHandlers(os: Implementer, { engine: { plans } }: ApiDeps) {
  return {
    enter: os.plan.enter.handler(({ input }) => plans.enter(input.sessionId)),
    leave: os.plan.leave.handler(({ input }) => plans.leave(input.sessionId)),
    view: os.plan.view.handler(({ input }) => plans.view(input.sessionId)),
    revision: os.plan.revision.handler(({ input: { sessionId, ...of } }) => plans.revision(sessionId, of)),
  }
}

export function taskHandlers(os: Implementer, { engine: { tasks, places } }: ApiDeps) {
  return {
    list: os.task.list.handler(async ({ input }) => {
      const here = await tasks.list(input)
      const there = places.tasks().filter(({ status }) => !input.activeOnly || status === 'running')
      return there.length === 0 ? here : [...here, ...there].slice(0, input.limit)
    }),
    output: os.task.output.handler(({ input: { taskId, before, bytes } }) =>
      tasks.output(taskId, { bytes, ...(before !== undefined && { before }) }),
    ),
    stop: os.task.stop.handler(({ input }) => tasks.stop(input.taskId, input.reason)),
    stopAll: os.task.stopAll.handler(({ input: { sessionId } }) =>
      tasks.stopAll({ ...(sessionId !== undefined && { sessionId }) }),
    ),
    restart: os.task.restart.handler(({ input }) => tasks.restart(input.taskId)),
    input: os.task.input.handler(({ input }) => tasks.input(input.taskId, input.data)),
    moveToBackground: os.task.moveToBackground.handler(({ input }) => tasks.moveToBackground(input.taskId)),
    sendToSession: os.task.sendToSession.handler(({ input }) => tasks.sendToSession(input.taskId)),
    orphans: os.task.orphans.handler(() => tasks.orphans()),
    killOrphans: os.task.killOrphans.handler(({ input }) => tasks.killOrphans(input.pids)),
  }
}

export function conversationHandlers(os: Implementer, { engine: { conversations } }: ApiDeps) {
  return {
    find: os.conversation.find.handler(({ input: { sessionId, ...query } }) => conversations.find(sessionId, query)),
    export: os.conversation.export.handler(({ input }) => conversations.export(input.sessionId, input.format)),
    import: os.conversation.import.handler(({ input }) =>
      conversations.import(input.text, input.folder, { unverified: input.unverified }),
    ),
    relink: os.conversation.relink.handler(({ input: { from, sessionId, to } }) =>
      conversations.relink(sessionId === undefined ? { folder: from! } : { sessionId }, to),
    ),
  }
}

export function terminalHandlers(os: Implementer, { engine: { terminals } }: ApiDeps) {
  return {
    open: os.terminal.open.handler(({ input: { sessionId, ...size } }) => terminals.open(sessionId, size)),
    list: os.terminal.list.handler(({ input }) => terminals.list(input.sessionId)),
    input: os.terminal.input.handler(({ input }) => terminals.input(input.terminalId, input.data)),
    resize: os.terminal.resize.handler(({ input: { terminalId, ...size } }) => terminals.resize(terminalId, size)),
    restart: os.terminal.restart.handler(({ input }) => terminals.restart(input.terminalId)),
    letWatch: os.terminal.letWatch.handler(({ input }) => terminals.letWatch(input.terminalId, input.isWatched)),
    close: os.terminal.close.handler(({ input }) => terminals.close(input.terminalId)),
  }
}
