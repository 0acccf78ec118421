import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createWorkspace } from '../workspace/workspace'
import { editTool } from './files/edit'
import { patchTool } from './files/patch'
import { readTool } from './files/read'
import { todoListTool } from './plan/todo-list'
import { writeTool } from './files/write'
import { createRegistry } from './registry'
import { ok, type Tool } from './tool'

const workspace = createWorkspace({ root: '/' })
const registry = createRegistry([
  readTool({ workspace }),
  writeTool({ workspace }),
  editTool({ workspace }),
  patchTool({ workspace }),
  todoListTool({ todos: { get: () => [], set: () => undefined } }),
])

function errorOf(name: string, rawJson: string): string {
  const parsed = registry.parseInput(registry.get(name)!, rawJson)
  return 'error' in parsed ? parsed.error : `accepted: ${JSON.stringify(parsed.input)}`
}

function toolWith(name: string, input: z.ZodType): Tool {
  const annotations = { readOnly: true, destructive: false, idempotent: true, openWorld: false }
  return {
    name,
    description: ' d\n',
    input: () => input,
    annotations,
    prepare: async () => ({ summary: '', accesses: [], run: async () => ok('') }),
  }
}

describe('schemas', () => {
  it('refuse unknown fields and contain nothing unnecessary, because every byte goes into every request', () => {
    const read = registry.schemas().find(({ name }) => name === 'Read')!
    expect(read.schema).toMatchObject({ type: 'object', required: ['path'], additionalProperties: false })
    expect(JSON.stringify(read.schema)).not.toMatch(/\$schema|9007199254740991|minLength|maxLength/)
    expect(read.schema.properties).toMatchObject({
      line_offset: { type: 'integer', minimum: -1000 },
      n_lines: { type: 'integer', minimum: 1 },
    })
  })

  it('describe every field of the file tools', () => {
    for (const { name, schema } of registry.schemas()) {
      for (const [field, property] of Object.entries(schema.properties as Record<string, { description?: string }>)) {
        expect(property.description, `${name}.${field}`).toEqual(expect.any(String))
      }
    }
  })

  it('do not require fields that have a default', () => {
    expect(registry.schemas().find(({ name }) => name === 'Edit')!.schema.required).toEqual([
      'path',
      'old_string',
      'new_string',
    ])
  })

  it('are computed once', () => {
    expect(registry.schemas()).toBe(registry.schemas())
  })

  it('leave space for the other five tools in a first request of 25 kB', () => {
    expect(Buffer.byteLength(JSON.stringify(registry.schemas()))).toBeLessThan(5_500)
  })

  it('keep limits that a tool intends and trim its description', () => {
    const [schema] = createRegistry([toolWith('T', z.strictObject({ n: z.int().max(5).min(0) }))]).schemas()
    expect(schema).toEqual({
      name: 'T',
      description: 'd',
      schema: {
        type: 'object',
        properties: { n: { type: 'integer', minimum: 0, maximum: 5 } },
        required: ['n'],
        additionalProperties: false,
      },
    })
  })
})

describe('parseInput', () => {
  it('fills in defaults', () => {
    expect(registry.parseInput(registry.get('Write')!, '{"path":"a","content":"b"}')).toEqual({
      input: { path: 'a', content: 'b', mode: 'overwrite' },
    })
  })

  it('treats empty input, which some protocols send for a call without arguments, as {}', () => {
    expect(registry.parseInput(registry.get('TodoList')!, '')).toEqual({ input: {} })
    expect(registry.parseInput(registry.get('TodoList')!, ' \n')).toEqual({ input: {} })
    expect(errorOf('Read', '')).toContain('`path` is missing (string)')
  })

  it('reports where JSON breaks off', () => {
    const error = errorOf('Write', '{"path": "a", "content": "cut o')
    expect(error).toContain('not valid JSON')
    expect(error).toMatch(/line 1 column \d+|position \d+/)
    expect(error).toContain('cut o')
    expect(errorOf('Read', '{"path": "a"')).toContain('not valid JSON')
  })

  it.each([
    ['[1]', 'an array'],
    ['"{}"', 'a string'],
    ['null', 'null'],
    ['3', 'a number'],
  ])('refuses %s, which is not an object', (raw, kind) => {
    expect(errorOf('Read', raw)).toContain(`must be a JSON object, not ${kind}`)
  })

  it('names an unknown field, the likely intended one, and all fields', () => {
    expect(errorOf('Read', '{"file_path":"a"}')).toMatch(
      /unknown field `file_path`.*Did you mean `path`\? The fields are: path, line_offset, n_lines/,
    )
    expect(errorOf('Read', '{"path":"a","zzz":1}')).toContain('unknown field `zzz`')
  })

  it('names wrong fields by their path and reports what is expected', () => {
    const error = errorOf('Patch', '{"path":1,"patches":[{"find":"a","replace":"b"},{"find":"","replace":2,"x":3}]}')
    expect(error).toContain('`path` must be a string, not 1')
    expect(error).toContain('`patches[1].find` needs at least 1 character.')
    expect(error).toContain('`patches[1].replace` must be a string, not 2')
    expect(error).toContain('unknown field `patches[1].x`')
    expect(errorOf('Patch', '{"path":"a","patches":[]}')).toContain('`patches` needs at least 1 item.')
    expect(errorOf('Write', '{"path":"a","content":"b","mode":"insert"}')).toContain(
      '`mode` must be one of "overwrite", "append", not "insert"',
    )
    expect(errorOf('Read', '{"path":"a","line_offset":1.5}')).toContain('`line_offset` must be an integer, not 1.5')
    expect(errorOf('Read', '{"path":"a","line_offset":0}')).toContain('lines count from 1')
    expect(errorOf('Read', '{"path":"a","line_offset":-2000}')).toContain('`line_offset` must be at least -1000')
    expect(errorOf('Read', '{"path":"a","n_lines":0}')).toContain('`n_lines` must be at least 1')
    expect(errorOf('Read', '{"path":null}')).toContain('`path` must be a string, not null')
  })

  it('keeps the message short no matter how much is wrong', () => {
    const error = errorOf('TodoList', JSON.stringify({ todos: Array.from({ length: 500 }, () => ({})) }))
    expect(error.split('\n').length).toBeLessThan(15)
    expect(error).toContain('more')
  })

  it('does not ignore a field named __proto__', () => {
    expect(errorOf('Read', '{"path":"a","__proto__":{"n_lines":1}}')).toContain('unknown field `__proto__`')
  })
})

describe('names', () => {
  it('finds tools only by their exact name and suggests the most similar one', () => {
    expect(registry.get('Read')?.name).toBe('Read')
    expect(registry.get('read')).toBeUndefined()
    expect(registry.get('constructor')).toBeUndefined()
    expect(registry.unknownTool('read_file')).toContain('Did you mean Read')
    expect(registry.unknownTool('todo_list')).toContain('Did you mean TodoList')
    expect(registry.unknownTool('Eddit')).toContain('Did you mean Edit')
    expect(registry.unknownTool('LaunchRockets')).toContain('The tools are: Read, Write, Edit, Patch, TodoList')
    expect(createRegistry([]).unknownTool('x')).toContain('answer in text')
  })

  it('does not accept two tools with the same name', () => {
    expect(() => createRegistry([toolWith('T', z.strictObject({})), toolWith('T', z.strictObject({}))])).toThrow(
      'one name',
    )
  })
})
