import type { Word } from '../shell-syntax'
import { precious, systemRoot, temporaryFolders, wholePaths, type Surroundings } from './places'

/** Options before `--`. */
function optionsOf(rest: readonly Word[]): readonly Word[] {
  const end = rest.findIndex((word) => word.text === '--')
  return end < 0 ? rest : rest.slice(0, end)
}

function says(rest: readonly Word[], short: RegExp, long: string): boolean {
  return optionsOf(rest).some(({ text }) =>
    text.startsWith('--') ? text.length > 3 && long.startsWith(text) : text.startsWith('-') && short.test(text),
  )
}

/** `rm`: recursive and forced outside of temporary folders, or recursive where everything would be lost. */
export function removal(rest: readonly Word[], around: Surroundings): string | undefined {
  const { targets, workspace } = around
  const unclear = optionsOf(rest).some((word) => !word.known && !word.glob && !targets.some((target) => target.word === word))
  if (!unclear && !says(rest, /[rR]/, '--recursive')) return undefined
  const operands = rest.filter((word) => !(word.known && word.text.startsWith('-')))
  for (const word of operands) {
    const paths = wholePaths(word, around)
    if (!paths) return `Deletes ${word.text} with everything in it, and what that is will only be known when it runs.`
    const lost = paths.map((path) => precious(path, workspace)).find((each) => each !== undefined)
    if (lost !== undefined) return `Deletes everything under ${lost}.`
  }
  if (!unclear && !says(rest, /f/, '--force')) return undefined
  const folders = temporaryFolders()
  const outside = targets.find(
    ({ paths }) =>
      paths.length === 0 ||
      !paths.every((path) => folders.some((folder) => !workspace.paths.isSame(path, folder) && workspace.paths.isWithin(path, folder))),
  )
  return outside && `Deletes ${outside.word.text} with everything in it, without asking.`
}

/** `find ROOT -delete` and its like; in the project also without a name that says what to delete. */
export function foundRemoval(rest: readonly Word[], around: Surroundings): string | undefined {
  const start = rest.findIndex((word) => word.known && /^[-(!]/.test(word.text) && !/^-[HLPDO]/.test(word.text))
  const expression = start < 0 ? [] : rest.slice(start).map(({ text }) => text)
  const removes = expression.some(
    (text, index) =>
      text === '-delete' ||
      (/^-(?:exec|execdir|ok|okdir)$/.test(text) &&
        expression.slice(index + 1, index + 8).some((each) => /(?:^|\/)(?:rm|rmdir|unlink|shred)$/.test(each))),
  )
  if (!removes) return undefined
  const isNarrow = expression.some(
    (text, index) => /^-(?:i?name|i?path|i?wholename|i?regex)$/.test(text) && /[^*?.[\]/]/.test(expression[index + 1] ?? ''),
  )
  const folders = (start < 0 ? rest : rest.slice(0, start)).filter((word) => !word.text.startsWith('-'))
  for (const word of folders.length > 0 ? folders : [{ text: '.', known: true }]) {
    const paths = folders.length > 0 ? wholePaths(word, around) : [around.workspace.root]
    if (!paths) return `Deletes files under ${word.text}, and what that is will only be known when it runs.`
    const lost = paths
      .map((path) => (isNarrow ? systemRoot(path, around.workspace) : precious(path, around.workspace)))
      .find((each) => each !== undefined)
    if (lost !== undefined) return isNarrow ? `Deletes files everywhere under ${lost}.` : `Deletes everything under ${lost}.`
  }
  return undefined
}

/** `mv` of the project, the home folder or a folder of the system. */
export function movedAway(rest: readonly Word[], around: Surroundings): string | undefined {
  for (const word of rest.filter(({ text }) => !text.startsWith('-')).slice(0, -1)) {
    const lost = (wholePaths(word, around) ?? []).map((path) => precious(path, around.workspace)).find((each) => each !== undefined)
    if (lost !== undefined) return `Moves everything under ${lost}.`
  }
  return undefined
}

/** `chmod`, `chown` and `chgrp` of everything in the home folder or a folder of the system. */
export function changedRights(program: string, rest: readonly Word[], around: Surroundings): string | undefined {
  if (!says(rest, /R/, '--recursive')) return undefined
  const [, ...operands] = rest.filter((word) => !(word.known && /^-[a-zA-Z-]*$/.test(word.text)))
  for (const word of operands) {
    const paths = wholePaths(word, around)
    const lost = paths?.map((path) => systemRoot(path, around.workspace)).find((each) => each !== undefined)
    if (lost !== undefined) return `Changes who may use everything under ${lost}.`
    if (!paths) return `${program} changes who may use everything under ${word.text}, and what that is will only be known when it runs.`
  }
  return undefined
}
