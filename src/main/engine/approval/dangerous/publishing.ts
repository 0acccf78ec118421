import { changedSetting } from '../shell/exec-options'
import { protectedPath } from './protected-path'
import type { Word } from '../../permission/shell-syntax'
import type { CommandContext } from './removal'

/** Commands that write files to a specified location. */
const MAKES_FILES = /^(?:clone|init|worktree|archive|bundle|format-patch|submodule|checkout-index)$/
const GLOBAL_WITH_VALUE =
  /^(?:-C|-c|--git-dir|--work-tree|--namespace|--super-prefix|--attr-source|--config-env|--exec-path)$/
/** Options of `git push` that overwrite or remove what the server has; abbreviations count too. */
const OVERWRITES = ['--force', '--force-with-lease', '--force-if-includes', '--mirror', '--delete', '--prune']
/** Command line settings that make any push overwrite, or define an alias for other commands. */
const PUSH_SETTING = /^(?:remote\..*\.(?:push|mirror|receivepack)|push\.|alias\.)/i

/**
 * Pushes that overwrite or remove other people's work, settings that run programs, and commands that remove history.
 */
export function dangerousGit(
  rest: readonly Word[],
  { targets, workspace: { userHome, paths: flavor } }: CommandContext,
): string | undefined {
  let at = 0
  const settings: string[] = []
  for (; rest[at]?.text.startsWith('-'); at += 1) {
    const { text } = rest[at]!
    if (/^-c./.test(text)) settings.push(text.slice(2))
    else if (GLOBAL_WITH_VALUE.test(text)) {
      if (text === '-c') settings.push(rest[at + 1]?.text ?? '')
      at += 1
    }
  }
  const command = rest[at]?.text
  const words = rest.slice(at + 1)
  const alias = settings.find((setting) => /^alias\.[^=]*=.*(?:push|!)/is.test(setting))
  if (alias !== undefined) return `Runs what git calls ${alias}.`
  if (command === 'push' || command === 'send-pack') {
    const setting = settings.find((each) => PUSH_SETTING.test(each))
    if (setting !== undefined) return `Pushes with the setting ${setting}, which may overwrite what is on the server.`
    const found = words.find(
      (word, index) => overwrites(word.text) && !/^(?:-o|--push-option|--repo)$/.test(words[index - 1]?.text ?? ''),
    )
    return found && `Overwrites or removes commits on the server (${found.text}).`
  }
  if (command === 'config') {
    const setting = changedSetting(words)
    return setting && `Changes the git setting ${setting.text}, which can make git run other programs.`
  }
  if (command !== undefined && MAKES_FILES.test(command)) {
    const place = targets.find(
      ({ word, paths }) =>
        words.includes(word) && paths.some((path) => protectedPath(path, userHome, flavor) !== undefined),
    )
    if (place) return `Writes to ${place.word.text}, which is protected.`
  }
  return rewritesHistory(command, words)
}

function overwrites(text: string): boolean {
  if (/^["']?[+:]./.test(text) || /^-[a-zA-Z0-9]*[fd]/.test(text)) return true
  const [name = ''] = text.split('=')
  return /^--[a-z]{2}/.test(name) && OVERWRITES.some((long) => long.startsWith(name))
}

/** `git clean` deletes only with force, and not in a dry run. */
function cleans(words: readonly Word[]): boolean {
  const said = (letter: string, long: string): boolean =>
    words.some(({ text }) =>
      text.startsWith('--') ? text.length > 3 && long.startsWith(text) : text.startsWith('-') && text.includes(letter),
    )
  return said('f', '--force') && !said('n', '--dry-run')
}

function rewritesHistory(command: string | undefined, words: readonly Word[]): string | undefined {
  const first = words[0]?.text ?? ''
  if (command === 'filter-branch' || command === 'filter-repo') return 'Rewrites the history of the repository.'
  if (command === 'reflog' && /^(?:expire|delete|drop)$/.test(first))
    return 'Removes the record that lost commits are restored from.'
  if (command === 'gc' && words.some(({ text }) => /^--prune=(?:now|all)/.test(text)))
    return 'Permanently removes unreachable commits.'
  if (command === 'update-ref' && words.some(({ text }) => /^(?:-\w*d\w*|--stdin)$/.test(text)))
    return 'Removes branches or tags.'
  if (command === 'clean' && cleans(words)) return 'Deletes files that git does not track; git cannot restore them.'
  if (command === 'stash' && first === 'clear') return 'Removes everything that is stashed.'
  return undefined
}

/** Programs, and the words that make them publish something or change something published. */
const PUBLISHING: readonly [programs: string, words: RegExp][] = [
  ['npm pnpm yarn bun cnpm', /^(?:publish|unpublish|deprecate|dist-tag|owner|access)$/],
  ['cargo', /^(?:publish|yank|owner)$/],
  ['twine pypi-upload', /^upload$/],
  ['gem', /^(?:push|yank|owner)$/],
  ['docker podman nerdctl buildah crane oras helm skopeo', /^(?:push|--push(?:=true)?|copy|sync)$/],
  [
    'poetry uv flit hatch pdm rye maturin hex ovsx vsce jsr deno lerna np release-it changeset expo',
    /^(?:publish|upload)$/,
  ],
  ['mix', /^hex\.publish$/],
  ['mvn mvnw mvnd', /^(?:deploy(?::.*)?|release:.*|site-deploy|nexus-staging:.*)$/],
  ['gradle gradlew', /(?:^|:)(?:publish\w*|upload\w*|release)$/],
  ['sbt', /publish/],
  ['dotnet nuget', /^push$/],
  ['goreleaser', /^(?:release|publish)$/],
  ['pod', /^(?:trunk|push)$/],
  ['cabal stack luarocks anaconda', /^upload$/],
  [
    'vercel now netlify firebase wrangler flyctl fly surge heroku eas serverless sls gcloud cdk',
    /^(?:deploy|publish|--prod|submit|releases?)$/,
  ],
  ['terraform tofu pulumi', /^(?:apply|destroy|up)$/],
  ['kubectl', /^(?:delete|drain)$/],
]
const ALWAYS = /^(?:semantic-release|np|release-it|ssh-copy-id)$/
/** `gh` and `glab`, by their first two words. */
const FORGE =
  /^(?:release (?:create|upload|edit|delete)|repo (?:create|delete|edit|archive|rename)|secret (?:set|delete|remove)|variable (?:set|delete)|ssh-key (?:add|delete)|gpg-key (?:add|delete)|gist create|workflow (?:run|enable|disable)|auth (?:login|token|logout|setup-git)|config set|alias set|extension install)$/

/** Why a command publishes something, or undefined. A dry run (`--dry-run`) does not. */
export function dangerousPublish(program: string, rest: readonly Word[]): string | undefined {
  const isTrial = rest.some(({ text, known }) => known && /^(?:--dry-run(?:=true)?|--help|-h)$/.test(text))
  if (program === 'gh' || program === 'glab') {
    const [first = '', second = ''] = rest.filter(({ text }) => !text.startsWith('-')).map(({ text }) => text)
    return FORGE.test(`${first} ${second}`)
      ? `Changes something on the server (${program} ${first} ${second}).`
      : undefined
  }
  if (isTrial) return undefined
  if (program === 'ssh-copy-id') return 'Gives a key access to another computer.'
  if (ALWAYS.test(program)) return `${program} publishes a version for everyone.`
  const module = /^python[\d.]*$/.test(program) && rest[0]?.text === '-m' ? rest[1]?.text : undefined
  const name = module ?? program
  const words = PUBLISHING.find(([programs]) => programs.split(' ').includes(name))?.[1]
  const said = words && rest.find(({ text }) => words.test(text))
  if (said) return `${name} ${said.text} publishes or changes what others use.`
  if (
    /^python[\d.]*$/.test(program) &&
    rest[0]?.text.endsWith('setup.py') === true &&
    rest.some(({ text }) => /^(?:upload|register)$/.test(text))
  )
    return 'Publishes a version for everyone.'
  return undefined
}
