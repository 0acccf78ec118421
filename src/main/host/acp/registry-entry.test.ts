import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const ENTRY = join(ROOT, 'resources', 'acp-registry', 'trestle')
const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))

const distributed = { args: z.array(z.string()).optional(), env: z.record(z.string(), z.string()).optional() }
/** The requirements of the registry's schema and contributing guide (as of November 2026). */
const AGENT = z.looseObject({
  id: z.string().regex(/^[a-z][a-z0-9-]*$/),
  name: z.string().min(1),
  version: z.string().regex(/^[0-9]+\.[0-9]+\.[0-9]+$/),
  description: z.string().min(1),
  repository: z.url().optional(),
  website: z.url().optional(),
  authors: z.array(z.string()).optional(),
  license: z.string(),
  license_url: z.url(),
  distribution: z
    .strictObject({
      npx: z.strictObject({ package: z.string().min(1), cmd: z.string().optional(), ...distributed }).optional(),
      uvx: z.strictObject({ package: z.string().min(1), cmd: z.string().optional(), ...distributed }).optional(),
      binary: z
        .record(
          z.string(),
          z.strictObject({ archive: z.url(), cmd: z.string(), sha256: z.string().optional(), ...distributed }),
        )
        .optional(),
    })
    .refine((ways) => Object.keys(ways).length > 0),
})

it('the ACP registry entry matches its schema, is named like its folder, and pins the package to this version', () => {
  const entry = AGENT.parse(read(join(ENTRY, 'agent.json')))
  const { name, version } = z.object({ name: z.string(), version: z.string() }).parse(read(join(ROOT, 'package.json')))
  expect(entry).toMatchObject({ id: 'trestle', version })
  expect(entry.distribution.npx).toEqual({ package: `${name}@${version}`, args: ['acp'] })
})

it('its icon is 16 x 16 and uses the current text color', () => {
  const icon = readFileSync(join(ENTRY, 'icon.svg'), 'utf8')
  expect(icon).toMatch(/^<svg [^>]*width="16" height="16" viewBox="0 0 16 16"/)
  const colours = [...icon.matchAll(/(?:fill|stroke)="([^"]+)"/g)].map(([, colour]) => colour)
  expect(colours.length).toBeGreaterThan(0)
  expect(colours.every((colour) => ['currentColor', 'none', 'inherit'].includes(colour!))).toBe(true)
  expect(icon).not.toMatch(/style=|#[0-9a-f]{3}|rgb\(/i)
})
