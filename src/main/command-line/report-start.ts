import type { Engine } from '../engine/engine-api'

/** Says on stderr what went wrong at start and what is wrong in config.toml; the program goes on with defaults. */
export function reportStart({ notices, problems }: Pick<Engine, 'notices' | 'problems'>): void {
  for (const notice of notices) process.stderr.write(`trestle: ${notice}\n`)
  for (const { file, line, column, message } of problems()) {
    const place = [file, line, column].filter((part) => part !== undefined).join(':')
    process.stderr.write(`trestle: ${place}: ${message}\n`)
  }
}
