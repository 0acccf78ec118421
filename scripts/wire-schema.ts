/**
 * Writes docs/wire-schema.json, the JSON Schema of every line of `trestle wire`, from the contract: `node
 * scripts/wire-schema.ts [--check]`. With `--check`, it writes nothing, and fails if the file is outdated.
 *
 * Inputs are described by the zod schemas that check them. Outputs have only types, so their schema is generated from
 * the sources: each method's `type<…>()` is read from its contract file.
 */
import '../test/support/ts-hooks.mjs'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createGenerator } from 'ts-json-schema-generator'
import { z } from 'zod'

const { contract } = await import('../src/shared/contract/index.ts')
const { WIRE_PROTOCOL, wireCancel, wireRequest } = await import('../src/shared/contract/stdio-wire.ts')

const root = join(import.meta.dirname, '..')
const contractFolder = join(root, 'src/shared/contract')
const target = join(root, 'docs/wire-schema.json')

type JsonSchema = Record<string, unknown>

interface Method {
  name: string
  /** The type as written in the contract. */
  output: string
  /** It is a subscription: the type is that of each event. */
  isPush: boolean
  /** The comment above it. */
  description: string
  input: z.ZodType | undefined
}

type Written = Pick<Method, 'output' | 'isPush' | 'description'>

/** The methods of a namespace, in the order of its contract file. */
function writtenIn(source: string, namespace: string): Map<string, Written> {
  const start = source.indexOf(`const ${namespace}Contract = {`)
  const body = source.slice(start, source.indexOf('\n}', start))
  const starts = [...body.matchAll(/(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?^ {2}(\w+): oc\b/gm)]
  return new Map(
    starts.map(([, comment = '', name = ''], index) => {
      const entry = body.slice(starts[index]!.index, starts[index + 1]?.index)
      const match = /\.output\((eventIterator\()?type<([\s\S]*)>\(\)\)/.exec(entry)
      if (!match) throw new Error(`What comes out of ${name} is not written as .output(type<…>()).`)
      const description = comment.replaceAll(/\s*\n\s*\*\s?/g, ' ').trim()
      return [name, { output: match[2]!, isPush: match[1] !== undefined, description }]
    }),
  )
}

/** The file that declares the contract of a namespace. */
function fileOf(namespace: string): string {
  const files = readdirSync(contractFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const file = files.find((path) => readFileSync(path, 'utf8').includes(`const ${namespace}Contract = {`))
  if (!file) throw new Error(`No file in src/shared/contract declares ${namespace}Contract.`)
  return file
}

function methods(): Method[] {
  return Object.entries(contract).flatMap(([namespace, group]) => {
    const written = writtenIn(readFileSync(fileOf(namespace), 'utf8'), namespace)
    const verbs = Object.keys(group)
    if (verbs.join() !== [...written.keys()].join())
      throw new Error(`${namespace}Contract: found ${[...written.keys()].join()}, the contract has ${verbs.join()}.`)
    return Object.entries(group).map(([verb, procedure]) => ({
      name: `${namespace}.${verb}`,
      ...written.get(verb)!,
      input: procedure['~orpc'].inputSchema as z.ZodType | undefined,
    }))
  })
}

/** A source file that names each output type, with everything the contract's files import or export. */
function outputSource(all: readonly Method[], folder: string): string {
  const imports = new Map<string, string>()
  for (const namespace of Object.keys(contract)) {
    const source = readFileSync(fileOf(namespace), 'utf8')
    for (const [, names, path] of source.matchAll(/^import (?:type )?\{([^}]*)\} from '(\.[^']*)'/gm)) {
      for (const name of names!.split(','))
        imports.set(name.replace(/\btype\b/, '').trim(), join(dirname(fileOf(namespace)), path!))
    }
    for (const [, name] of source.matchAll(/^export (?:interface|type) (\w+)/gm))
      imports.set(name!, fileOf(namespace).replace(/\.ts$/, ''))
  }
  imports.set('WireLine', join(contractFolder, 'stdio-wire'))
  imports.delete('')
  const used = [...imports].filter(([name]) => /^[A-Z][a-z]/.test(name))
  const lines = used.map(([name, path]) => `import type { ${name} } from '${path}'`)
  const outputs = all.map(
    ({ name, output }) => `export type ${outputName(name)} = ${output === 'void' ? 'null' : output}`,
  )
  const file = join(folder, 'outputs.ts')
  writeFileSync(file, [...lines, ...outputs, 'export type ServerLine = WireLine', ''].join('\n'))
  return file
}

function outputName(method: string): string {
  return `Output_${method.replace('.', '_')}`
}

function definitionsFromTypes(all: readonly Method[]): Record<string, JsonSchema> {
  const folder = mkdtempSync(join(root, 'node_modules/.wire-schema-'))
  try {
    const config = join(folder, 'tsconfig.json')
    const base = {
      extends: join(root, 'tsconfig.base.json'),
      compilerOptions: { lib: ['es2024'], types: [] },
      files: ['outputs.ts'],
    }
    const path = outputSource(all, folder)
    writeFileSync(config, JSON.stringify(base))
    const schema = createGenerator({
      path,
      tsconfig: config,
      type: '*',
      skipTypeCheck: true,
      topRef: true,
      encodeRefs: true,
    }).createSchema('*')
    return schema.definitions as Record<string, JsonSchema>
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * The whole file. `definitions` has a schema for each direction, for the input and the output of each method, and for
 * their parts.
 */
function wireSchema(): JsonSchema {
  const all = methods()
  const fromTypes = definitionsFromTypes(all)
  const inputs: Record<string, JsonSchema> = {}
  const outputs: Record<string, JsonSchema> = {}
  const { method: _method, input: _input, ...common } = inputOf(wireRequest)['properties'] as Record<string, JsonSchema>
  const requests = all.map(({ name, input, output, isPush, description }) => {
    if (input) inputs[`${name}.input`] = inputOf(input)
    const schema = fromTypes[outputName(name)]
    if (!schema) throw new Error(`There is no schema of ${output}, the output of ${name}.`)
    outputs[`${name}.${isPush ? 'event' : 'result'}`] = schema
    // Whether the input is required.
    const isNeeded = input !== undefined && !input.safeParse({}).success
    const properties = {
      ...common,
      method: { const: name },
      ...(input && { input: { $ref: `#/definitions/${name}.input` } }),
    }
    return {
      ...(description !== '' && { description }),
      type: 'object',
      properties,
      required: ['id', 'method', ...(isNeeded ? ['input'] : [])],
      additionalProperties: false,
    }
  })
  const rest = Object.fromEntries(Object.entries(fromTypes).filter(([name]) => !name.startsWith('Output_')))
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: `Lines of trestle wire, protocol ${WIRE_PROTOCOL}`,
    description: 'Made from the contract by scripts/wire-schema.ts; docs/wire.md explains it.',
    anyOf: [{ $ref: '#/definitions/ClientLine' }, { $ref: '#/definitions/ServerLine' }],
    definitions: { ClientLine: { anyOf: [...requests, inputOf(wireCancel)] }, ...inputs, ...outputs, ...sorted(rest) },
  }
}

function inputOf(schema: z.ZodType): JsonSchema {
  const { $schema: _schema, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' }) as JsonSchema
  return rest
}

function sorted(definitions: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1)))
}

const text = `${JSON.stringify(wireSchema(), null, 2)}\n`
if (!process.argv.includes('--check')) writeFileSync(target, text)
else if (readFileSync(target, 'utf8') !== text) {
  console.error('docs/wire-schema.json is not what the contract says: node scripts/wire-schema.ts')
  process.exit(1)
}
