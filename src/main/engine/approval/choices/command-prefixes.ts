import { isReadOnlyProgram } from '../read-only/read-only-paths'
import type { Word } from '../../permission/shell-syntax'
import { OPAQUE_PROGRAMS, SHELLS, WRAPPERS } from '../shell/wrapper-programs'

/** For these, only the exact command is offered: with other arguments they could remove, send or run anything. */
const ONLY_EXACTLY = new Set(
  `rm rmdir unlink shred truncate mv cp ln install dd tee chmod chown chgrp mknod mkfifo patch sed perl split rsync
  scp sftp ssh curl wget nc ncat socat telnet ftp kill pkill killall renice systemctl service launchctl mount umount
  iptables ufw crontab at useradd usermod passwd psql mysql mysqldump sqlite3 mongosh mongo redis-cli osascript open
  xdg-open start gdb lldb ed ex vi vim nvim emacs nano less more man awk gawk mawk nawk tar zip unzip cpio 7z openssl
  gpg ansible ansible-playbook salt aws gcloud az vault op pass security defaults trestle tmux screen expect git-shell
  eval trap export declare typeset local readonly unset alias set`.split(/\s+/),
)

/**
 * How many words (without the program) form the subcommand, for each first word of one program. 0: offer only the exact
 * command.
 */
interface Subcommands {
  /** For first words that are not listed here. */
  otherwise: number
  [word: string]: number
}

const SCRIPTS: Subcommands = {
  otherwise: 1,
  run: 2,
  'run-script': 2,
  exec: 2,
  x: 2,
  dlx: 2,
  create: 2,
  config: 0,
  publish: 0,
  login: 0,
  set: 0,
  explore: 0,
}
const RUNNER: Subcommands = { otherwise: 1, run: 2, exec: 2, shell: 0, publish: 0, config: 0 }
const SUBCOMMANDS: Readonly<Record<string, Subcommands>> = Object.assign(Object.create(null), {
  git: {
    otherwise: 0,
    ...oneWordEach(
      'add commit status log show diff branch tag fetch pull push ' +
        'stash merge cherry-pick switch blame grep mv remote worktree',
    ),
  },
  npm: SCRIPTS,
  pnpm: SCRIPTS,
  yarn: SCRIPTS,
  bun: SCRIPTS,
  npx: { otherwise: 1 },
  bunx: { otherwise: 1 },
  pnpx: { otherwise: 1 },
  uvx: { otherwise: 1 },
  pipx: { otherwise: 0, run: 2, install: 1, list: 1 },
  deno: { otherwise: 0, ...oneWordEach('test fmt lint check doc info bench'), task: 2 },
  cargo: { otherwise: 1, publish: 0, login: 0, owner: 0, yank: 0 },
  go: { otherwise: 0, ...oneWordEach('test build vet fmt mod list doc env version run generate'), tool: 2 },
  docker: {
    otherwise: 0,
    ...oneWordEach('ps images logs build pull inspect version info stats top'),
    compose: 2,
    image: 2,
    container: 0,
    network: 2,
  },
  podman: { otherwise: 0, ...oneWordEach('ps images logs build pull inspect version info stats top'), compose: 2 },
  'docker-compose': { otherwise: 1, run: 2, exec: 0, rm: 0, down: 1 },
  kubectl: {
    otherwise: 0,
    ...oneWordEach('get describe logs top explain version diff api-resources'),
    rollout: 2,
    config: 2,
  },
  helm: { otherwise: 0, ...oneWordEach('list status template lint get show history search') },
  terraform: { otherwise: 0, ...oneWordEach('plan validate fmt show output init graph') },
  tofu: { otherwise: 0, ...oneWordEach('plan validate fmt show output init graph') },
  pip: { otherwise: 0, ...oneWordEach('install list show freeze check download') },
  pip3: { otherwise: 0, ...oneWordEach('install list show freeze check download') },
  uv: { otherwise: 1, run: 2, pip: 2, tool: 2, publish: 0 },
  poetry: RUNNER,
  pipenv: RUNNER,
  hatch: RUNNER,
  rye: RUNNER,
  pdm: RUNNER,
  bundle: RUNNER,
  conda: { otherwise: 0, run: 0, ...oneWordEach('list install info search') },
  gh: { otherwise: 0, pr: 2, issue: 2, run: 2, release: 0, repo: 0, search: 2 },
  glab: { otherwise: 0, mr: 2, issue: 2, ci: 2 },
  make: { otherwise: 1 },
  gmake: { otherwise: 1 },
  just: { otherwise: 1 },
  task: { otherwise: 1 },
  rake: { otherwise: 1 },
  ninja: { otherwise: 1 },
  mvn: { otherwise: 1 },
  mvnw: { otherwise: 1 },
  gradle: { otherwise: 1 },
  gradlew: { otherwise: 1 },
  dotnet: { otherwise: 1, nuget: 0, tool: 2 },
  swift: { otherwise: 1 },
  mix: { otherwise: 1 },
  composer: { otherwise: 1, exec: 2 },
  brew: { otherwise: 0, ...oneWordEach('list info search outdated') },
  apt: { otherwise: 0, ...oneWordEach('list show search') },
} satisfies Record<string, Subcommands>)

const INTERPRETER =
  /^(?:python|pypy|node|nodejs|ruby|php|lua|luajit|Rscript|julia|tsx|ts-node|java|dart|elixir|bun)[\d.]*$/

function oneWordEach(words: string): Record<string, number> {
  return Object.fromEntries(words.split(' ').map((word) => [word, 1]))
}

/**
 * How many leading words of a command may come before "and anything", widest last: the words of the subcommand.
 * Undefined when only the exact command should be offered. Never a bare program that runs other programs.
 */
export function commandPrefixes(program: string, words: readonly Word[]): number[] | undefined {
  const [, first, second] = words
  const sub = SUBCOMMANDS[program]
  if (sub) return bySubcommand(sub, words)
  if (INTERPRETER.test(program)) {
    if (first?.text === '-m' && second && isName(second)) return [3]
    return first && isScript(first) ? [2] : undefined
  }
  if (
    program === '' ||
    ONLY_EXACTLY.has(program) ||
    SHELLS.has(program) ||
    program in WRAPPERS ||
    program in OPAQUE_PROGRAMS
  )
    return undefined
  // These need no rule inside the project.
  if (isReadOnlyProgram(program)) return undefined
  return first && isName(first) && words.length > 2 ? [2, 1] : [1]
}

function bySubcommand(sub: Subcommands, words: readonly Word[]): number[] | undefined {
  const [, first] = words
  if (!first || !isName(first)) return undefined
  const depth = Object.hasOwn(sub, first.text) ? sub[first.text]! : sub.otherwise
  if (depth === 0) return undefined
  if (depth === 1) return [2]
  const named = words.slice(1, depth + 1)
  if (named.length < depth || !named.every(isName)) return undefined
  // `npm run *` covers the scripts that the project names; `npm exec` can run anything.
  return /^run(?:-script)?$/.test(first.text) && sub === SCRIPTS ? [depth + 1, 2] : [depth + 1]
}

/** A word that names a subcommand rather than an operand. */
function isName(word: Word): boolean {
  return word.known && /^[A-Za-z@][\w:@./-]*$/.test(word.text)
}

function isScript(word: Word): boolean {
  return word.known && /^[\w./@][\w./@ -]*\.\w+$/.test(word.text)
}
