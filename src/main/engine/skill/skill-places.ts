import { dirname, join } from 'node:path'
import type { SkillSource } from '../../../shared/model/skill'

/** A folder that may hold skills, each a folder with a SKILL.md. */
export interface SkillPlace {
  path: string
  source: SkillSource
}

const IN_PROJECT = ['.trestle/skills', '.agents/skills', '.claude/skills']

/** Where skills are looked for, the nearest first: the project folder and up to its repository's top, the user's folders, Trestle's own. */
export function skillPlaces(around: {
  folder: string
  top: string | undefined
  home: string
  userHome: string
  builtIn: string
}): SkillPlace[] {
  const { folder, top, home, userHome, builtIn } = around
  const places: SkillPlace[] = []
  for (let at = folder; ; at = dirname(at)) {
    places.push(...IN_PROJECT.map((name) => ({ path: join(at, name), source: 'project' as const })))
    if (top === undefined || at === top || dirname(at) === at) break
  }
  places.push(
    { path: join(home, 'skills'), source: 'user' },
    { path: join(userHome, '.agents', 'skills'), source: 'user' },
    { path: builtIn, source: 'built-in' },
  )
  // A project that is the user's own folder has the same place twice.
  return places.filter(({ path }, index) => places.findIndex((other) => other.path === path) === index)
}
