import '../test/support/ts-hooks.mjs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { median, round, runAlone, type Measurement } from './support/measurement.ts'
import { callContext } from '../test/support/call-context.ts'
import { makeScratch, put } from './support/scratch.ts'

const LARGE_FOLDERS = 1_000
const FILES_PER_FOLDER = 20

/**
 * The Grep tool compared with the same search by ripgrep (started without a shell, output read): in a small project and
 * a tree of 20,000 files.
 */
export default async function grepBesideRipgrep(): Promise<Measurement[]> {
  const { grepTool } = await import('../src/main/engine/tool/files/grep.ts')
  const { createWorkspace } = await import('../src/main/engine/workspace/workspace.ts')
  const { ripgrepPath } = await import('../src/main/engine/workspace/ripgrep/run-ripgrep.ts')
  const rg = await ripgrepPath()
  const scratch = makeScratch()
  try {
    const large = join(scratch.folder, 'large')
    for (let index = 0; index < LARGE_FOLDERS * FILES_PER_FOLDER; index++) {
      put(
        join(large, `d${index % 50}`, `e${index % LARGE_FOLDERS}`, `f${index}.ts`),
        `line of text number ${index}\n`.repeat(40) + (index % 100 === 0 ? 'needle\n' : ''),
      )
    }
    const results: Measurement[] = []
    for (const { name, root, runs, folders, limits } of [
      // The time of a small search beyond a call that does nothing, and of a large one compared with ripgrep.
      { name: '60 files', root: scratch.project, runs: 60, folders: 'src', limits: { ms: 1.5 } },
      { name: '20,000 files', root: large, runs: 15, folders: undefined, limits: { ratio: 1.1 } },
    ]) {
      const tool = grepTool({ workspace: createWorkspace({ root }) })
      const withTool = async (): Promise<void> => {
        const call = await tool.prepare({
          pattern: 'needle',
          output_mode: 'content',
          ...(folders && { path: folders }),
        })
        if ('refused' in call) throw new Error('Grep refused the call')
        const result = await call.run(callContext())
        if (!JSON.stringify(result.content).includes('needle')) throw new Error('Grep found nothing')
      }
      const raw = async (): Promise<void> => {
        const child = spawn(rg, ['--no-config', '-n', 'needle', `./${folders ?? ''}`], {
          cwd: root,
          env: {},
          stdio: ['ignore', 'pipe', 'ignore'],
        })
        child.stdout.resume()
        await once(child, 'close')
      }
      const [tools, raws]: [number[], number[]] = [[], []]
      for (let run = -2; run < runs; run++) {
        const [a, b] = [await time(withTool), await time(raw)]
        // The first two runs warm the caches of both.
        if (run < 0) continue
        tools.push(a)
        raws.push(b)
      }
      const note = `median of ${runs}`
      results.push(
        {
          name: `Grep, ${name}`,
          value: round(median(tools)),
          unit: 'ms',
          note,
          ...('ms' in limits && { limit: limits.ms }),
        },
        {
          name: `ripgrep, ${name}`,
          value: round(median(raws)),
          unit: 'ms',
          note: `${note}; with its own choice of threads`,
        },
        {
          name: `Grep over ripgrep, ${name}`,
          value: round(median(tools) / median(raws)),
          unit: 'x',
          ...('ratio' in limits && { limit: limits.ratio }),
        },
      )
    }
    return results
  } finally {
    scratch.remove()
  }
}

async function time(job: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await job()
  return performance.now() - start
}

await runAlone(import.meta.main, grepBesideRipgrep)
