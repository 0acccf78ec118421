import type { Skills } from '../../src/main/engine/skill/skills'

/** For tests without skills. */
export const noSkills: Skills = {
  list: async () => ({ skills: [], problems: [] }),
  all: async () => ({ skills: [], problems: [] }),
  find: async () => undefined,
  body: async () => '',
  readable: () => [],
}
