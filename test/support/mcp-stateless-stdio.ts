/**
 * A stdio server of the revision without sessions. Flags: `--starts=FILE` records each start, `--generation=FILE`
 * contains the generation to start with (`older`: the other test server), `--also-older` also answers `initialize`,
 * `--slow-start=MS` reads nothing for that long, `--versions=LIST` are the supported revisions.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { statelessServer, type StatelessMessage } from './mcp-stateless-answers.ts'

const flags = new Map(
  process.argv.slice(2).map((arg) => arg.replace(/^--/, '').split('=') as [string, string | undefined]),
)
const generation = flags.get('generation')
if (generation !== undefined && readFileSync(generation, 'utf8') === 'older') await import('./mcp-stdio-server.ts')
else serve()

function serve(): void {
  const starts = flags.get('starts')
  if (starts !== undefined) appendFileSync(starts, `${process.pid}\n`)
  const server = statelessServer({
    alsoOlder: flags.has('also-older'),
    ...(flags.has('versions') && { versions: flags.get('versions')!.split(',') }),
  })
  const send = (message: object): void =>
    void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  setTimeout(
    () => {
      createInterface({ input: process.stdin }).on('line', (line) => {
        void server.answer(JSON.parse(line) as StatelessMessage, send).then((answer) => answer && send(answer))
      })
    },
    Number(flags.get('slow-start') ?? 0),
  )
}
