import type { ApiDeps, Implementer } from './api-deps'

export function skillHandlers(os: Implementer, { engine: { skills } }: ApiDeps) {
  return {
    list: os.skill.list.handler(({ input }) => skills.list(input.folder)),
  }
}
