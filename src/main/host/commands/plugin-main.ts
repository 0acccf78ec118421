import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { CodedError } from '../../../shared/errors'
import type { PluginList, PluginPlace, PluginReview, PluginView } from '../../../shared/model/app/plugin'
import { PLUGIN_PARTS } from '../../../shared/model/app/plugin'
import { oneLine, table } from '../../console/output'
import { parseAction, refuseAgents, type ActionSpec } from '../../console/parse-action'
import { UsageError, type Parsed } from '../../console/parse-command'
import { resolveHome } from '../../engine/config/home'
import { createEnginePlugins } from '../../engine/foundation/engine-plugins'
import type { PluginActions } from '../../engine/plugin/plugins'
import { askForFingerprint, isOwnTerminal } from './permission/typed-consent'

const WHERE = ['json', 'cwd'] as const
const NAME = { options: [...WHERE, 'project'], words: [1, 1], takes: 'the name of a plugin' } as const
const ACTIONS = {
  list: { options: WHERE, words: [0, 0], takes: 'no arguments' },
  show: NAME,
  diff: NAME,
  add: {
    options: [...WHERE, 'project'],
    words: [1, 1],
    takes: 'a folder or the address of a repository',
    humanOnly: true,
  },
  enable: { ...NAME, humanOnly: true },
  disable: { ...NAME, humanOnly: true },
  update: { ...NAME, humanOnly: true },
  remove: { ...NAME, humanOnly: true },
  restore: {
    options: ['json'],
    words: [1, 1],
    takes: 'the id of a removed plugin; trestle plugin list shows them',
    humanOnly: true,
  },
} satisfies Record<string, ActionSpec>

/** `trestle plugin`. Returns the exit code: 0, 1 when it was not accepted, 2 when it is not allowed, 130 for Ctrl-C. */
export async function pluginMain(parsed: Parsed): Promise<number> {
  const { action, words } = parseAction<keyof typeof ACTIONS>('plugin', ACTIONS, parsed)
  const { humanOnly }: ActionSpec = ACTIONS[action]
  if (humanOnly && (await refuseAgents(`plugin ${action}`))) return 2
  const { values } = parsed
  const folder = folderOf(values['cwd'])
  const [word = ''] = words
  const say = (json: unknown, text: string): number => {
    process.stdout.write(values['json'] === true ? `${JSON.stringify(json)}\n` : text)
    return 0
  }
  const { actions: plugins } = createEnginePlugins({
    home: realpathSync(resolveHome()),
    notify: () => {},
    warn: (text) => void process.stderr.write(`trestle: ${text}\n`),
  })
  const place = (): Promise<PluginPlace> => find(plugins, word, folder, values['project'] === true)
  switch (action) {
    case 'list': {
      const list = await plugins.list(folder)
      return say(list, listText(list))
    }
    case 'show': {
      const review = await plugins.review(await place())
      return say(review, reviewText(review))
    }
    case 'diff': {
      const review = await plugins.review(await place())
      return say(review.changes ?? [], diffText(review))
    }
    case 'add': {
      const review = await plugins.add({ from: word, ...(values['project'] === true && { folder }) })
      return say(
        review,
        `Added ${headline(review)}. It is off: review and accept it with: trestle plugin enable ${optionOf(review)}\n`,
      )
    }
    case 'enable':
      return enable(plugins, await place(), say)
    case 'disable': {
      const view = await plugins.setEnabled(await place(), false)
      return say(view, `${view.name} is off.\n`)
    }
    case 'update': {
      const review = await plugins.update(await place())
      const next = review.state === 'changed' || review.state === 'asked'
      return say(
        review,
        next
          ? `${headline(review)} has changed and is off. Review it with: trestle plugin enable ${optionOf(review)}\n`
          : `${headline(review)} is up to date.\n`,
      )
    }
    case 'remove': {
      const removed = await plugins.remove(await place())
      return say(
        removed,
        `Removed ${removed.name}. To restore it within 30 days: trestle plugin restore ${removed.trashId}\n`,
      )
    }
    default: {
      const view = await plugins.restore(word)
      return say(view, `Restored ${headline(view)}: ${STATES[view.state]}.\n`)
    }
  }
}

/** Enables a plugin; its current content, if not yet accepted, is shown first to a person at a terminal. */
async function enable(
  plugins: PluginActions,
  place: PluginPlace,
  say: (json: unknown, text: string) => number,
): Promise<number> {
  const review = await plugins.review(place)
  if (review.state === 'broken') throw new CodedError('plugin.refused', review.problems.join(' '))
  if (review.state === 'enabled') return say(review, `${review.name} is on already.\n`)
  if (review.state === 'disabled') {
    const view = await plugins.setEnabled(place, true)
    return say(view, `${view.name} is on.\n`)
  }
  if (!isOwnTerminal()) {
    process.stderr.write(
      'trestle: a plugin can only be accepted by a person at a terminal, where all of it is shown first. ' +
        'Accept it under Settings → Plugins, or run this in a terminal of your own.\n',
    )
    return 2
  }
  process.stdout.write(`${reviewText(review)}${review.changes ? `\n${diffText(review)}` : ''}`)
  const consent = await askForFingerprint('accept all of this and turn it on', review.hash)
  if (consent !== 'given') {
    process.stdout.write(
      `\nNot accepted${consent === 'wrong' ? ': that is not the beginning of the fingerprint' : ''}.\n`,
    )
    return consent === 'wrong' ? 1 : 130
  }
  const view = await plugins.accept(place, review.hash)
  return say(view, `${view.name} is on, until it changes.\n`)
}

async function find(plugins: PluginActions, name: string, folder: string, inProject: boolean): Promise<PluginPlace> {
  const { plugins: all } = await plugins.list(folder)
  const named = all.filter((plugin) => plugin.name === name)
  const found =
    named.find(({ scope }) => scope === (inProject ? 'project' : 'user')) ?? (inProject ? undefined : named[0])
  if (!found)
    throw new CodedError(
      'plugin.not_found',
      `There is no plugin ${oneLine(name).slice(0, 80)}${inProject ? ` in ${folder}` : ' here'}.`,
    )
  return { name, ...(found.folder !== undefined && { folder: found.folder }) }
}

function folderOf(given: Parsed['values'][string]): string {
  const folder = resolve(typeof given === 'string' ? given : '.')
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--cwd: there is no folder ${folder}.`, 'plugin')
  return realpathSync(folder)
}

const STATES: Record<PluginView['state'], string> = {
  asked: 'off, not accepted yet',
  changed: 'off, changed since it was accepted',
  enabled: 'on',
  disabled: 'off',
  broken: 'unusable',
}
const WORDS = {
  hook: ['hook', 'hooks'],
  server: ['server', 'servers'],
  agent: ['agent', 'agents'],
  skill: ['skill', 'skills'],
  command: ['command', 'commands'],
} as const

function countsText({ counts }: PluginView): string {
  return PLUGIN_PARTS.filter((kind) => counts[kind] > 0)
    .map((kind) => `${counts[kind]} ${WORDS[kind][counts[kind] === 1 ? 0 : 1]}`)
    .join(', ')
}

function headline({ name, version }: PluginView): string {
  return `${name} ${oneLine(version)}`.trim()
}

function optionOf({ name, scope }: PluginView): string {
  return scope === 'project' ? `${name} --project` : name
}

function listText({ plugins, removed }: PluginList): string {
  const rows = plugins.map((plugin) => [
    oneLine(plugin.name),
    oneLine(plugin.version),
    plugin.scope === 'project' ? 'this project' : 'everywhere',
    STATES[plugin.state],
    countsText(plugin) || oneLine(plugin.problems[0] ?? ''),
  ])
  const gone = removed.map(({ name, trashId, until }) => [
    name,
    trashId,
    `until ${new Date(until).toISOString().slice(0, 10)}`,
  ])
  return [
    rows.length === 0
      ? 'No plugins. Add one with: trestle plugin add PATH|GIT-URL\n'
      : table(['Name', 'Version', 'Where', 'State', 'Brings'], rows),
    ...(gone.length === 0 ? [] : ['\nRemoved, and can be restored:\n', table(['Name', 'Id', 'Kept'], gone)]),
  ].join('')
}

function reviewText(review: PluginReview): string {
  const { description, author, homepage, source, state, parts, problems, hash } = review
  return `${[
    `${headline(review)}: ${STATES[state]}`,
    ...[description, author === '' ? '' : `By ${author}`, homepage ?? ''].filter((line) => line !== '').map(oneLine),
    ...(source
      ? [oneLine(`From ${source.from}${source.commit === undefined ? '' : `, commit ${source.commit}`}`)]
      : []),
    ...problems.map((problem) => `Problem: ${oneLine(problem)}`),
    ...parts.flatMap(({ kind, name, file, lines }) => [
      '',
      `${name} (${kind}, ${file})`,
      ...lines.map((line) => `  ${line}`),
    ]),
    ...(hash === '' ? [] : ['', `Fingerprint: ${hash}`]),
  ].join('\n')}\n`
}

function diffText({ changes = [], state }: PluginReview): string {
  if (changes.length === 0)
    return state === 'asked'
      ? 'It was never accepted, so there is nothing to compare it with.\n'
      : 'Nothing has changed since it was accepted.\n'
  const texts = changes.map(
    ({ file, change, diff }) => `${file}: ${change}\n${diff === '' ? '' : `${diff.trimEnd()}\n`}`,
  )
  return `Changed since it was accepted:\n\n${texts.join('\n')}`
}
