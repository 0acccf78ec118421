import { z } from 'zod'
import { lazySchema, type SchemaOutput } from '../../../../shared/lazy-schema'

const lines = lazySchema(() => z.int().min(0).max(1000).optional())

/** The input of Grep. */
export const grepInput = lazySchema(() =>
  z.strictObject({
    pattern: z.string().min(1).max(10_000).describe('Regular expression'),
    path: z.string().min(1).optional().describe('File or folder; default: the project folder'),
    glob: z.string().min(1).max(1000).optional().describe('Only these files, e.g. *.{ts,tsx}; with ! all but these'),
    type: z.string().min(1).max(100).optional().describe('Only this file type, e.g. ts, py, rust'),
    output_mode: z
      .enum(['files_with_matches', 'content', 'count_matches'])
      .optional()
      .describe('Default files_with_matches'),
    '-i': z.boolean().optional().describe('Ignore case'),
    '-n': z.boolean().optional().describe('content: line numbers (default true)'),
    '-A': lines().describe('content: lines after each match'),
    '-B': lines().describe('content: lines before'),
    '-C': lines().describe('content: lines around; wins over -A and -B'),
    head_limit: z.int().min(0).optional().describe('Most lines or files of the result (default 250, 0: no limit)'),
    offset: z.int().min(0).optional().describe('Skip this many first'),
    multiline: z.boolean().optional().describe('Matches may span lines; . matches newlines'),
    include_ignored: z.boolean().optional().describe('Search ignored files too'),
  }),
)

export type GrepInput = SchemaOutput<typeof grepInput>
