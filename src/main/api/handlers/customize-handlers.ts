import type { ApiDeps, Implementer } from '../implementer'
import type { PluginPlace } from '../../../shared/model/app/plugin'

export function ruleHandlers(os: Implementer, { engine: { customize } }: ApiDeps) {
  const rules = async () => (await customize()).rules
  return {
    list: os.rule.list.handler(async ({ input }) => (await rules()).list(input.folder)),
    explain: os.rule.explain.handler(async ({ input }) => (await rules()).explain(input)),
    add: os.rule.add.handler(async ({ input }) => (await rules()).add(input.folder, input.scope, input.rule)),
    change: os.rule.change.handler(async ({ input }) => (await rules()).change(input.folder, input.place, input.rule)),
    remove: os.rule.remove.handler(async ({ input }) => (await rules()).remove(input.folder, input.place)),
    move: os.rule.move.handler(async ({ input }) => (await rules()).move(input.folder, input.place, input.to)),
    test: os.rule.test.handler(async ({ input }) => (await rules()).test(input.folder, input.call, input.mode)),
  }
}

export function customizeHandlers(os: Implementer, { engine: { customize } }: ApiDeps) {
  const hooks = async () => (await customize()).hooks
  const skills = async () => (await customize()).skills
  const agents = async () => (await customize()).agents
  const { customize: of } = os
  return {
    addHook: of.addHook.handler(async ({ input }) => (await hooks()).add(input.folder, input.scope, input.hook)),
    changeHook: of.changeHook.handler(async ({ input }) =>
      (await hooks()).change(input.folder, input.place, input.hook),
    ),
    removeHook: of.removeHook.handler(async ({ input }) => (await hooks()).remove(input.folder, input.place)),
    moveHook: of.moveHook.handler(async ({ input }) => (await hooks()).move(input.folder, input.place, input.to)),
    testHook: of.testHook.handler(async ({ input }) => (await hooks()).test(input.folder, input.place)),
    skills: of.skills.handler(async ({ input }) => (await skills()).list(input.folder)),
    readSkill: of.readSkill.handler(async ({ input }) => (await skills()).read(input.folder, input.path)),
    checkSkill: of.checkSkill.handler(async ({ input }) => (await skills()).check(input.name, input.text)),
    createSkill: of.createSkill.handler(async ({ input: { folder, scope, name, text } }) =>
      (await skills()).create(folder, scope, name, text),
    ),
    saveSkill: of.saveSkill.handler(async ({ input: { folder, path, before, text } }) =>
      (await skills()).save(folder, path, before, text),
    ),
    removeSkill: of.removeSkill.handler(async ({ input }) => (await skills()).remove(input.folder, input.path)),
    setSkillEnabled: of.setSkillEnabled.handler(async ({ input }) =>
      (await skills()).setEnabled(input.name, input.enabled),
    ),
    readAgent: of.readAgent.handler(async ({ input }) => (await agents()).read(input.folder, input.path)),
    createAgent: of.createAgent.handler(async ({ input: { folder, scope, fields } }) =>
      (await agents()).create(folder, scope, fields),
    ),
    saveAgent: of.saveAgent.handler(async ({ input: { folder, path, before, to } }) =>
      (await agents()).save(folder, path, before, to),
    ),
    removeAgent: of.removeAgent.handler(async ({ input }) => (await agents()).remove(input.folder, input.path)),
    undo: of.undo.handler(async ({ input }) => (await customize()).undo(input.undoId)),
  }
}

export function pluginHandlers(os: Implementer, { engine: { plugins } }: ApiDeps) {
  return {
    list: os.plugin.list.handler(({ input }) => plugins.list(input.folder)),
    review: os.plugin.review.handler(({ input }) => plugins.review(placeOf(input))),
    add: os.plugin.add.handler(({ input: { from, folder } }) =>
      plugins.add({ from, ...(folder !== undefined && { folder }) }),
    ),
    update: os.plugin.update.handler(({ input }) => plugins.update(placeOf(input))),
    accept: os.plugin.accept.handler(({ input }) => plugins.accept(placeOf(input), input.hash)),
    setEnabled: os.plugin.setEnabled.handler(({ input }) => plugins.setEnabled(placeOf(input), input.enabled)),
    remove: os.plugin.remove.handler(({ input }) => plugins.remove(placeOf(input))),
    restore: os.plugin.restore.handler(({ input }) => plugins.restore(input.trashId)),
  }
}

function placeOf({ name, folder }: { name: string; folder?: string | undefined }): PluginPlace {
  return { name, ...(folder !== undefined && { folder }) }
}
