/** Calls of the contract's methods by feature; each stores its results under the method's name. */
import type { TrestleClient } from '../../src/shared/contract'
import { failureFrom } from '../../src/renderer/client/failure-from'
import type { MemoryEngine } from '../support/memory-engine'
import { rejection } from '../support/required'

export const failureOfCall = async (call: Promise<unknown>) => failureFrom(await rejection(call))

export async function callTerminals({ terminal }: TrestleClient, results: Record<string, unknown>): Promise<void> {
  const { terminalId } = (results['terminal.open'] = await terminal.open({
    sessionId: results['session.create'] as string,
    cols: 80,
    rows: 24,
  }))
  results['terminal.list'] = await terminal.list({})
  results['terminal.input'] = await terminal.input({ terminalId, data: 'x' })
  results['terminal.resize'] = await terminal.resize({ terminalId, cols: 100, rows: 30 })
  results['terminal.restart'] = await terminal.restart({ terminalId })
  results['terminal.letWatch'] = await terminal.letWatch({ terminalId, isWatched: true })
}

export async function callCustomize(client: TrestleClient, results: Record<string, unknown>): Promise<void> {
  const at = { folder: '/p', scope: 'user' as const }
  const rule = { decision: 'allow' as const, pattern: 'Read' }
  const place = { scope: 'user' as const, index: 0, ...rule }
  results['rule.list'] = await client.rule.list({ folder: '/p' })
  results['rule.explain'] = await client.rule.explain(rule)
  results['rule.add'] = await client.rule.add({ ...at, rule })
  results['rule.change'] = await client.rule.change({ folder: '/p', place, rule })
  results['rule.move'] = await client.rule.move({ folder: '/p', place, to: 1 })
  results['rule.remove'] = await client.rule.remove({ folder: '/p', place })
  results['rule.test'] = await client.rule.test({ folder: '/p', mode: 'ask', call: { command: 'ls' } })
  const hook = { event: 'Stop' as const, command: 'true' }
  const hookPlace = { scope: 'user' as const, index: 0, ...hook }
  results['customize.addHook'] = await client.customize.addHook({ ...at, hook })
  results['customize.changeHook'] = await client.customize.changeHook({ folder: '/p', place: hookPlace, hook })
  results['customize.moveHook'] = await client.customize.moveHook({ folder: '/p', place: hookPlace, to: 1 })
  results['customize.removeHook'] = await client.customize.removeHook({ folder: '/p', place: hookPlace })
  results['customize.testHook'] = await client.customize.testHook({ folder: '/p', place: hookPlace })
  const skill = { folder: '/p', path: '/home/.trestle/skills/a/SKILL.md' }
  results['customize.skills'] = await client.customize.skills({ folder: '/p' })
  results['customize.readSkill'] = await client.customize.readSkill(skill)
  results['customize.checkSkill'] = await client.customize.checkSkill({ name: 'a', text: '' })
  results['customize.createSkill'] = await client.customize.createSkill({ ...at, name: 'a', text: '' })
  results['customize.saveSkill'] = await client.customize.saveSkill({ ...skill, before: '', text: 'x' })
  results['customize.setSkillEnabled'] = await client.customize.setSkillEnabled({ name: 'a', enabled: false })
  results['customize.removeSkill'] = await client.customize.removeSkill(skill)
  const agent = { folder: '/p', path: '/home/.trestle/agents/a.yaml' }
  const fields = { name: 'a', description: 'b', systemPrompt: '', excludeTools: [], subagents: [], readOnly: false }
  results['customize.readAgent'] = await client.customize.readAgent(agent)
  results['customize.createAgent'] = await client.customize.createAgent({ ...at, fields })
  results['customize.saveAgent'] = await client.customize.saveAgent({ ...agent, before: '', to: { fields } })
  results['customize.removeAgent'] = await client.customize.removeAgent(agent)
  results['customize.undo'] = await client.customize.undo({ undoId: 'undo-1' })
}

export async function callPlaces({ place }: TrestleClient, results: Record<string, unknown>): Promise<void> {
  const named = { placeId: 'build-box' }
  results['place.add'] = await place.add({ ...named, launch: { kind: 'ssh', host: 'build.example' } })
  results['place.list'] = await place.list()
  results['place.test'] = await place.test(named)
  results['place.connect'] = await place.connect(named)
  results['place.disconnect'] = await place.disconnect(named)
  results['place.answer'] = await place.answer({ ...named, questionId: 'q', answer: null })
  results['place.update'] = await place.update(named)
  results['place.run'] = await place.run({ ...named, command: 'true' })
  results['place.forward'] = await place.forward({ ...named, port: 5173 })
  const moves = await place.move({ sessionId: 's', to: null })
  results['place.move'] = (await moves.next()).value
  await moves.return?.()
  results['place.remove'] = await place.remove(named)
  results['place.restore'] = await place.restore(named)
  const served = await place.serveModels({ models: [] })
  await served.return?.()
  results['place.serveModels'] = 'served'
  results['place.modelReply'] = await place.modelReply({ callId: 'c', chunks: [], done: true })
}

export async function callTasks(
  { task }: TrestleClient,
  engine: MemoryEngine,
  results: Record<string, unknown>,
): Promise<void> {
  const taskId = 't'
  engine.tasks.put({ taskId, sessionId: results['session.create'] as string, background: false })
  engine.tasks.print(taskId, 'hello\n')
  results['task.list'] = await task.list({})
  results['task.output'] = await task.output({ taskId })
  results['task.input'] = await task.input({ taskId, data: 'x' })
  results['task.moveToBackground'] = await task.moveToBackground({ taskId })
  results['task.sendToSession'] = await task.sendToSession({ taskId })
  results['task.stop'] = await task.stop({ taskId })
  results['task.stopAll'] = await task.stopAll({})
  results['task.restart'] = await task.restart({ taskId })
  results['task.orphans'] = await task.orphans()
  results['task.killOrphans'] = await task.killOrphans({})
}

/** The engine remembers nothing; what is asked about one entry fails with its code. */
export async function callMemory({ memory }: TrestleClient, results: Record<string, unknown>): Promise<void> {
  const code = async (call: Promise<unknown>): Promise<string> => (await failureOfCall(call)).code
  const content = { key: 'tests', text: 'Run the tests before each commit.' }
  results['memory.list'] = await memory.list({})
  results['memory.overview'] = await memory.overview()
  results['memory.details'] = await code(memory.details({ id: 1 }))
  results['memory.add'] = await code(memory.add(content))
  results['memory.change'] = await code(memory.change({ id: 1, ...content }))
  results['memory.remove'] = await memory.remove({ ids: [1] })
  results['memory.restore'] = await memory.restore({ ids: [1] })
  results['memory.purge'] = await memory.purge({ ids: [1] })
}

/** The folder has no repository; everything but the summary fails with that code. */
export async function callGit(
  { git }: TrestleClient,
  sessionId: string,
  results: Record<string, unknown>,
): Promise<void> {
  const code = async (call: Promise<unknown>): Promise<string> => (await failureOfCall(call)).code
  const hash = 'a'.repeat(40)
  const path = 'a.ts'
  const hunk = { sessionId, path, hunkIds: ['h'] }
  results['git.summary'] = await git.summary({ sessionId })
  results['git.progress'] = await git.progress({ sessionId })
  results['git.trustView'] = await code(git.trustView({ sessionId }))
  results['git.trust'] = await code(git.trust({ sessionId, hash }))
  results['git.trusted'] = await git.trusted()
  results['git.forgetTrust'] = await git.forgetTrust({ repository: '/nowhere/.git' })
  results['git.init'] = await code(git.init({ sessionId }))
  results['git.status'] = await code(git.status({ sessionId }))
  results['git.diff'] = await code(git.diff({ sessionId, path, side: 'staged' }))
  results['git.stage'] = await code(git.stage({ sessionId, paths: [path] }))
  results['git.unstage'] = await code(git.unstage({ sessionId, paths: 'all' }))
  results['git.discard'] = await code(git.discard({ sessionId, paths: [path] }))
  results['git.stageHunks'] = await code(git.stageHunks(hunk))
  results['git.unstageHunks'] = await code(git.unstageHunks(hunk))
  results['git.discardHunks'] = await code(git.discardHunks(hunk))
  results['git.kept'] = await code(git.kept({ sessionId }))
  results['git.restoreKept'] = await code(git.restoreKept({ sessionId, id: '1' }))
  results['git.commit'] = await code(git.commit({ sessionId, message: 'm', amend: false }))
  results['git.lastMessage'] = await code(git.lastMessage({ sessionId }))
  results['git.draftMessage'] = await code(git.draftMessage({ sessionId }))
  results['git.branches'] = await code(git.branches({ sessionId }))
  results['git.createBranch'] = await code(git.createBranch({ sessionId, name: 'b', checkout: true }))
  results['git.switch'] = await code(git.switch({ sessionId, to: 'refs/heads/b' }))
  results['git.renameBranch'] = await code(git.renameBranch({ sessionId, name: 'b', to: 'c' }))
  results['git.deleteBranch'] = await code(git.deleteBranch({ sessionId, name: 'b', force: false }))
  results['git.merge'] = await code(git.merge({ sessionId, from: 'refs/heads/b' }))
  results['git.cherryPick'] = await code(git.cherryPick({ sessionId, hash }))
  results['git.tags'] = await code(git.tags({ sessionId }))
  results['git.createTag'] = await code(git.createTag({ sessionId, name: 'v1' }))
  results['git.deleteTag'] = await code(git.deleteTag({ sessionId, name: 'v1' }))
  results['git.restoreTag'] = await code(git.restoreTag({ sessionId, name: 'v1', object: hash }))
  results['git.pushTag'] = await code(git.pushTag({ sessionId, name: 'v1' }))
  results['git.stashes'] = await code(git.stashes({ sessionId }))
  results['git.saveStash'] = await code(git.saveStash({ sessionId, message: '', untracked: true }))
  results['git.applyStash'] = await code(git.applyStash({ sessionId, hash, drop: true }))
  results['git.dropStash'] = await code(git.dropStash({ sessionId, hash }))
  results['git.restoreStash'] = await code(git.restoreStash({ sessionId, hash, message: 'm' }))
  results['git.fetch'] = await code(git.fetch({ sessionId }))
  results['git.pull'] = await code(git.pull({ sessionId, way: 'rebase' }))
  results['git.push'] = await code(git.push({ sessionId }))
  results['git.log'] = await code(git.log({ sessionId }))
  results['git.commitDetails'] = await code(git.commitDetails({ sessionId, hash }))
  results['git.commitDiff'] = await code(git.commitDiff({ sessionId, hash, path }))
  results['git.blame'] = await code(git.blame({ sessionId, path }))
  results['git.conflictFile'] = await code(git.conflictFile({ sessionId, path }))
  results['git.resolvePart'] = await code(git.resolvePart({ sessionId, path, part: 0, choice: 'ours', hash: '' }))
  results['git.takeSide'] = await code(git.takeSide({ sessionId, path, choice: 'ours' }))
  results['git.markResolved'] = await code(git.markResolved({ sessionId, paths: [path] }))
  results['git.continueOperation'] = await code(git.continueOperation({ sessionId }))
  results['git.abortOperation'] = await code(git.abortOperation({ sessionId }))
  results['git.pullRequest'] = await code(git.pullRequest({ sessionId }))
  results['git.createPullRequest'] = await code(
    git.createPullRequest({ sessionId, title: 't', body: '', base: 'main', draft: false }),
  )
}

/** Nothing has changed. */
export async function callReview(
  { review }: TrestleClient,
  sessionId: string,
  results: Record<string, unknown>,
): Promise<void> {
  const which = { sessionId, scope: { kind: 'session' as const } }
  const path = '/p/a'
  results['review.list'] = await review.list(which)
  results['review.diffs'] = await review.diffs({ ...which, paths: [path] })
  results['review.lines'] = await review.lines({ ...which, path, from: 1, to: 2 })
  results['review.undo'] = await review.undo({ ...which, files: [{ path, key: 'k', ids: ['1'] }] })
  results['review.bases'] = await review.bases({ sessionId })
  results['review.marks'] = await review.marks(which)
  results['review.setViewed'] = await review.setViewed({ sessionId, path, key: 'k', viewed: true })
  results['review.setKept'] = await review.setKept({ sessionId, path, ids: ['1'], kept: true })
  const comment = { path, side: 'new' as const, line: 1, endLine: 1, text: 'Why?' }
  results['review.addComment'] = await review.addComment({ ...which, ...comment })
  results['review.changeComment'] = await review.changeComment({ sessionId, id: 'comment-1', text: 'Why not?' })
  results['review.removeComment'] = await review.removeComment({ sessionId, id: 'comment-1' })
  results['review.send'] = await review.send({ sessionId })
}

/** There are no worktrees; what is asked about one fails with its code. */
export async function callWorktrees({ worktree }: TrestleClient, results: Record<string, unknown>): Promise<void> {
  const code = async (call: Promise<unknown>): Promise<string> => (await failureOfCall(call)).code
  const worktreeId = 'shop-123456'
  results['worktree.offer'] = await worktree.offer({ folder: '/p', about: 'Fix it' })
  results['worktree.list'] = await worktree.list()
  results['worktree.status'] = await code(worktree.status({ worktreeId }))
  results['worktree.merge'] = await code(worktree.merge({ worktreeId, way: 'squash', commit: 'c' }))
  results['worktree.update'] = await code(worktree.update({ worktreeId, way: 'rebase', keepConflicts: true }))
  results['worktree.remove'] = await code(worktree.remove({ worktreeId }))
  results['worktree.restore'] = await code(worktree.restore({ worktreeId }))
  results['worktree.purge'] = await code(worktree.purge({ worktreeId }))
  results['worktree.forget'] = await code(worktree.forget({ worktreeId }))
  results['worktree.setup'] = await code(worktree.setup({ worktreeId, run: true }))
}

/** There are neither alarms nor notifications; what is asked about one alarm fails with its code. */
export async function callAlarms(
  { alarm, notification }: TrestleClient,
  results: Record<string, unknown>,
): Promise<void> {
  const code = async (call: Promise<unknown>): Promise<string> => (await failureOfCall(call)).code
  const id = 'alarm-1'
  results['alarm.list'] = await alarm.list({})
  results['alarm.set'] = await code(alarm.set({ when: '5m', label: 'Tea' }))
  results['alarm.snooze'] = await code(alarm.snooze({ id, minutes: 5 }))
  results['alarm.stop'] = await code(alarm.stop({ id }))
  results['alarm.cancel'] = await code(alarm.cancel({ id }))
  results['alarm.restore'] = await code(alarm.restore({ id }))
  results['notification.list'] = await notification.list({})
  results['notification.markRead'] = await notification.markRead({})
  results['notification.clear'] = await notification.clear({ ids: [1] })
  results['notification.restore'] = await notification.restore({ ids: [1] })
}

/** There is no account; what is asked about one fails with its code. */
export async function callMail({ mail }: TrestleClient, results: Record<string, unknown>): Promise<void> {
  const code = async (call: Promise<unknown>): Promise<string> => (await failureOfCall(call)).code
  const server = { host: 'mail.example.com', port: 993, security: 'tls' as const }
  const account = { id: 'work', address: 'ada@example.com', imap: server, smtp: server }
  const message = { to: ['bob@example.com'], subject: 's', text: 't' }
  results['mail.accounts'] = await mail.accounts()
  results['mail.save'] = await mail.save({ account, password: 'p' })
  results['mail.remove'] = await code(mail.remove({ id: 'work' }))
  results['mail.restore'] = await code(mail.restore({ id: 'work' }))
  results['mail.test'] = await code(mail.test({ id: 'work' }))
  results['mail.search'] = await code(mail.search({ from: 'bob' }))
  results['mail.read'] = await code(mail.read({ id: 'work:INBOX:1-1' }))
  results['mail.draft'] = await code(mail.draft(message))
  results['mail.send'] = await code(mail.send(message))
  results['mail.move'] = await code(mail.move({ ids: ['work:INBOX:1-1'], folder: 'Archive' }))
  results['mail.flag'] = await code(mail.flag({ ids: ['work:INBOX:1-1'], as: 'read' }))
}

/** Of a server there is not; what is asked about one fails with its code. */
export async function callMcp(
  { mcp, mcpContent }: TrestleClient,
  sessionId: string,
  results: Record<string, unknown>,
): Promise<void> {
  const serverId = 'user:none'
  const code = async (call: Promise<unknown>): Promise<string> => (await failureOfCall(call)).code
  const switches = { enabled: true, startTimeoutMs: 1000, callTimeoutMs: 1000, disabledTools: [] }
  const place = { scope: 'user' as const, name: 'none' }
  const definition = { ...switches, transport: 'stdio' as const, command: 'x', args: [], env: { A: null } }
  results['mcp.list'] = await mcp.list({})
  results['mcp.save'] = await mcp.save({ place, definition })
  results['mcp.remove'] = await mcp.remove({ place })
  results['mcp.imports'] = await mcp.imports({})
  results['mcp.import'] = await mcp.import({
    sourceId: 'pasted',
    hash: '',
    text: '',
    servers: [{ key: '0:none', name: 'none' }],
  })
  results['mcp.previewImport'] = await code(mcp.previewImport({ text: '{}' }))
  results['mcp.definition'] = await code(mcp.definition({ serverId }))
  results['mcp.setEnabled'] = await code(mcp.setEnabled({ serverId, enabled: true }))
  results['mcp.setToolEnabled'] = await code(mcp.setToolEnabled({ serverId, tool: 't', enabled: true }))
  results['mcp.restart'] = await code(mcp.restart({ serverId }))
  results['mcp.test'] = await code(mcp.test({ serverId }))
  results['mcp.logs'] = await code(mcp.logs({ serverId }))
  results['mcp.signIn'] = await code(mcp.signIn({ serverId }).then((steps) => steps.next()))
  results['mcp.signOut'] = await code(mcp.signOut({ serverId }))
  results['mcpContent.prompts'] = await mcpContent.prompts({ sessionId })
  results['mcpContent.resources'] = await mcpContent.resources({ sessionId, query: '' })
  results['mcpContent.complete'] = await mcpContent.complete({
    sessionId,
    server: 'none',
    prompt: 'p',
    argument: 'a',
    value: '',
  })
  results['mcpContent.read'] = await code(mcpContent.read({ sessionId, server: 'none', uri: 'x:y' }))
}

/** Of an engine without schedules. */
export async function callSchedules({ schedule }: TrestleClient, results: Record<string, unknown>): Promise<void> {
  const id = 'schedule-none'
  const code = async (call: Promise<unknown>): Promise<string> => (await failureOfCall(call)).code
  const content = { name: 'Check', time: '0 9 * * *', prompt: 'Look.' }
  results['schedule.list'] = await schedule.list({})
  results['schedule.history'] = await schedule.history({ id })
  results['schedule.planned'] = await schedule.planned({ from: 0, until: 1 })
  results['schedule.check'] = await schedule.check({ time: '0 9 * * *' })
  results['schedule.create'] = await code(schedule.create(content))
  results['schedule.change'] = await code(schedule.change({ id, ...content }))
  results['schedule.setPaused'] = await code(schedule.setPaused({ id, paused: true }))
  results['schedule.remove'] = await code(schedule.remove({ id }))
  results['schedule.restore'] = await code(schedule.restore({ id }))
  results['schedule.runNow'] = await code(schedule.runNow({ id }))
}
