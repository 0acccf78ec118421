import type { Customize } from '../../src/main/engine/customize/customize'

const undoable = async () => ({ undoId: 'undo-1' })

/** Rules, hooks, skills and agents of a memory engine: the lists are empty, and every change works. */
export const memoryCustomize = async (): Promise<Customize> => ({
  rules: {
    list: async () => ({ rules: [], files: { user: '/home/.trestle/config.toml' }, trust: 'nothing' }),
    explain: () => ({ explanation: 'Allows every use of Read without asking.' }),
    add: undoable,
    change: undoable,
    remove: undoable,
    move: undoable,
    test: async (_folder, _call, mode) => ({
      verdict: 'ask',
      reason: 'It asks.',
      decidedBy: 'the permission mode',
      mode,
      parts: [],
    }),
  },
  hooks: {
    list: async () => ({ hooks: [], runs: [] }),
    add: undoable,
    change: undoable,
    remove: undoable,
    move: undoable,
    test: async (folder, { event, command }) => ({
      runId: 'run-1',
      isTest: true,
      event,
      command,
      scope: 'user',
      subject: '',
      sessionId: 'sample-session',
      folder,
      startedAt: 0,
      outcome: 'passed',
      output: '',
      cutBytes: 0,
    }),
  },
  skills: {
    list: async () => ({ skills: [], problems: [] }),
    read: async (_folder, path) => ({ path, text: '', problems: [], canEdit: true }),
    check: async () => [],
    create: async () => ({ undoId: 'undo-1', path: '/home/.trestle/skills/a/SKILL.md' }),
    save: undoable,
    remove: undoable,
    setEnabled: undoable,
  },
  agents: {
    read: async (_folder, path) => ({ path, text: '', problems: [], canEdit: true }),
    create: async () => ({ undoId: 'undo-1', path: '/home/.trestle/agents/a.yaml' }),
    save: undoable,
    remove: undoable,
  },
  undo: async () => undefined,
})
