import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export const BWRAP: string = 'bwrap'

/** Whether a file system of a given size can be created here: in its own namespace, never on the machine itself. */
export const hasSmallDisks =
  process.platform === 'linux' &&
  spawnSync(BWRAP, ['--dev-bind', '/', '/', '--size', '100000', '--tmpfs', '/mnt', 'true']).status === 0

/** A Trestle home on its own disk, which exists as long as the program that runs `within` it. */
export interface SmallDisk {
  /** Path of the home for the program. */
  home: string
  /** The command that runs a command on it. */
  within: (command: readonly string[]) => readonly string[]
  /** Frees space while the program runs. */
  makeRoom(): Promise<void>
  /** The copy of the store, made when the program had ended. */
  kept: string
}

const BALLAST_KB = 300

/**
 * `seed`: the config. `folder`: on the machine's own disk, for the files that the small disk is filled from and copied
 * to.
 */
export function smallDisk({ size, folder, seed }: { size: number; folder: string; seed: string }): SmallDisk {
  const [home, kept] = [join(folder, 'disk'), join(folder, 'kept')]
  for (const path of [home, kept]) mkdirSync(path)
  copyFileSync(seed, join(folder, 'seed.toml'))
  const [asked, done] = [join(folder, 'asked'), join(folder, 'done')]
  execFileSync('mkfifo', [asked, done])
  const script = (command: readonly string[]): string => `cp ${folder}/seed.toml ${home}/config.toml
dd if=/dev/zero of=${home}/ballast bs=1k count=${BALLAST_KB} 2>/dev/null
( read line < ${asked}; rm -f ${home}/ballast; echo done > ${done} ) >/dev/null 2>&1 </dev/null &
waiting=$!
${command.map((word) => `'${word}'`).join(' ')}
code=$?
cp ${home}/trestle.db* ${kept}/ 2>/dev/null
kill $waiting 2>/dev/null
exit $code`
  return {
    home,
    kept,
    within(command) {
      // In a file: if a parent's command line named Trestle, it would look like an agent's command.
      writeFileSync(join(folder, 'within.sh'), script(command))
      return [BWRAP, '--dev-bind', '/', '/', '--size', String(size), '--tmpfs', home, 'sh', join(folder, 'within.sh')]
    },
    async makeRoom() {
      writeFileSync(asked, 'go\n')
      await readFile(done)
    },
  }
}

/** The output of a program with one JSON value per line. */
export function jsonLines<T>(text: string): T[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)
}
