import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, sep } from 'node:path'
import type { SkillList, SkillProblem, SkillView } from '../../../shared/configuration/customize/customizations'
import type { SkillText } from '../../../shared/contract/settings/customize'
import type { EditScope, Undoable } from '../../../shared/configuration/customize/rules'
import { CodedError } from '../../../shared/errors'
import type { Config } from '../config/config'
import { readSkill } from '../skill/read-skill'
import type { Skills } from '../skill/skills'
import { readGuardedText } from '../workspace/guarded-text'
import type { EditedFiles, Place } from './edited-files'

/** The user's changes to skills. */
export interface SkillActions {
  /** Every skill, including those that are turned off. */
  list(folder: string): Promise<SkillList>
  read(folder: string, path: string): Promise<SkillText>
  /** Checks the text of a skill. */
  check(name: string, text: string): Promise<Omit<SkillProblem, 'path'>[]>
  /** Creates the skill `name`. */
  create(folder: string, scope: EditScope, name: string, text: string): Promise<Undoable & { path: string }>
  /** Replaces the text of a skill if it is still `before`. */
  save(folder: string, path: string, before: string, text: string): Promise<Undoable>
  /** Moves the folder of a skill to the trash. */
  remove(folder: string, path: string): Promise<Undoable>
  /** Turns a skill on or off, by its name and for every project. */
  setEnabled(name: string, enabled: boolean): Promise<Undoable>
}

const MAX_BYTES = 256 * 1024
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** See `SkillActions`. */
export function createSkillActions({
  home,
  config,
  skills,
  files,
}: {
  home: string
  config: Pick<Config, 'settings'>
  skills: Pick<Skills, 'all'>
  files: EditedFiles
}): SkillActions {
  const ownTops = [join(home, 'skills'), join(homedir(), '.agents', 'skills')]

  /** Finds a skill, or a SKILL.md with an error, in one of the skill folders. */
  async function find(given: string, path: string): Promise<{ place?: Place; skill?: SkillView }> {
    const folder = await realpath(given).catch(() => given)
    const { skills: found, problems } = await skills.all(folder)
    const skill = found.find((one) => one.path === path)
    if (!skill && !problems.some((problem) => problem.path === path))
      throw new CodedError('customize.not_found', `There is no skill ${path}.`)
    if (skill?.source === 'plugin' || skill?.source === 'built-in') return { skill }
    const isUsers = skill ? skill.source === 'user' : ownTops.some((top) => path.startsWith(join(top, sep)))
    return { place: isUsers ? { scope: 'user' } : { scope: 'project', folder: dirname(path) }, ...(skill && { skill }) }
  }

  async function editable(folder: string, path: string): Promise<Place> {
    const { place } = await find(folder, path)
    if (!place)
      throw new CodedError('customize.invalid', 'Only your own skills and those of the project can be changed.')
    return place
  }

  return {
    list: async (folder) => skills.all(await realpath(folder).catch(() => folder)),
    async read(folder, path) {
      const { place } = await find(folder, path)
      const found = readGuardedText(path, { mostBytes: MAX_BYTES })
      if (!('text' in found))
        throw new CodedError(
          'customize.not_found',
          `${path} cannot be read. ${'problem' in found ? found.problem : ''}`,
        )
      const { problems } = await readSkill(found.text, basename(dirname(path)))
      return { path, text: found.text, problems, canEdit: place !== undefined }
    },
    check: async (name, text) => (await readSkill(text, name)).problems,
    async create(given, scope, name, text) {
      if (!NAME.test(name) || name.length > 64)
        throw new CodedError(
          'customize.invalid',
          'The name must be lowercase letters, digits and single hyphens between them.',
        )
      await requireUsable(name, text)
      const folder = await realpath(given).catch(() => given)
      const place: Place = scope === 'user' ? { scope } : { scope, folder }
      const top = scope === 'user' ? join(home, 'skills') : join(folder, '.trestle', 'skills')
      const path = join(top, name, 'SKILL.md')
      if ('text' in readGuardedText(path, { mostBytes: MAX_BYTES }))
        throw new CodedError('customize.taken', `There already is a skill ${name} here.`)
      return { ...(await writeSkill(place, path, undefined, text)), path }
    },
    async save(folder, path, before, text) {
      const place = await editable(folder, path)
      await requireUsable(basename(dirname(path)), text)
      return writeSkill(place, path, before, text)
    },
    async remove(folder, path) {
      const place = await editable(folder, path)
      return files.removeFolder(place, dirname(path))
    },
    setEnabled(name, enabled) {
      const others = config.settings.skills.disabled.filter((one) => one !== name)
      const disabled = enabled ? others : [...others, name]
      return setDisabled(disabled)
    },
  }

  async function setDisabled(disabled: readonly string[]): Promise<Undoable> {
    const { editToml } = await import('../config/toml/edit-toml')
    const value = disabled.length === 0 ? undefined : disabled
    return files.changeConfig({ scope: 'user' }, (text) => editToml(text, [{ path: ['skills', 'disabled'], value }]))
  }

  /** A project's skills apply without trust, so changing them does not require it. */
  async function writeSkill(place: Place, path: string, before: string | undefined, text: string): Promise<Undoable> {
    return files.write(place, path, before, text, { needsTrust: false })
  }
}

async function requireUsable(name: string, text: string): Promise<void> {
  const fatal = (await readSkill(text, name)).problems.find(({ isFatal }) => isFatal)
  if (fatal)
    throw new CodedError(
      'customize.invalid',
      `${fatal.line === undefined ? '' : `Line ${fatal.line}: `}${fatal.message}`,
    )
}
