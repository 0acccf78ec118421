import { expect, it } from 'vitest'
import { formFields } from './elicitation'

it('keeps every kind of field with its limits and default, and offers only valid choices', () => {
  const fields = formFields({
    type: 'object',
    required: ['name', 'pets'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 9, description: 'Full\u0007 name' },
      mail: { type: 'string', title: 'E-mail', format: 'email', default: 'a@b.c' },
      apiKey: { type: 'string' },
      age: { type: 'integer', minimum: 0, maximum: 150, default: 42 },
      share: { type: 'number', default: 0.5 },
      ok: { type: 'boolean', default: false },
      friend: { type: 'string', enum: ['m', 'r', 'm'], default: 'r' },
      pet: { type: 'string', enum: ['c', 'd'], enumNames: ['Cat', 'Dog'] },
      hero: { type: 'string', oneOf: [{ const: 's', title: 'Super\u202eman' }], default: 'gone' },
      pets: {
        type: 'array',
        items: { type: 'string', enum: ['x', 'y'] },
        minItems: 1,
        maxItems: 2,
        default: ['x', 'z'],
      },
      fish: { type: 'array', items: { anyOf: [{ const: 't', title: 'Tuna' }] } },
    },
  })
  expect(fields).toEqual([
    { key: 'name', title: 'name', description: 'Full name', required: true, kind: 'text', minLength: 1, maxLength: 9 },
    { key: 'mail', title: 'E-mail', required: false, kind: 'text', format: 'email', default: 'a@b.c' },
    { key: 'apiKey', title: 'apiKey', required: false, kind: 'text', secret: true },
    { key: 'age', title: 'age', required: false, kind: 'number', integer: true, minimum: 0, maximum: 150, default: 42 },
    { key: 'share', title: 'share', required: false, kind: 'number', integer: false, default: 0.5 },
    { key: 'ok', title: 'ok', required: false, kind: 'boolean', default: false },
    {
      key: 'friend',
      title: 'friend',
      required: false,
      kind: 'choice',
      options: [
        { value: 'm', title: 'm' },
        { value: 'r', title: 'r' },
      ],
      default: 'r',
    },
    {
      key: 'pet',
      title: 'pet',
      required: false,
      kind: 'choice',
      options: [
        { value: 'c', title: 'Cat' },
        { value: 'd', title: 'Dog' },
      ],
    },
    { key: 'hero', title: 'hero', required: false, kind: 'choice', options: [{ value: 's', title: 'Superman' }] },
    {
      key: 'pets',
      title: 'pets',
      required: true,
      kind: 'choices',
      options: [
        { value: 'x', title: 'x' },
        { value: 'y', title: 'y' },
      ],
      minItems: 1,
      maxItems: 2,
      default: ['x'],
    },
    { key: 'fish', title: 'fish', required: false, kind: 'choices', options: [{ value: 't', title: 'Tuna' }] },
  ])
})

it('keeps no default that the user could not see or send', () => {
  const defaultOf = (field: { default: string; maxLength?: number }): unknown =>
    formFields({ type: 'object', properties: { name: { type: 'string', ...field } } })?.[0]?.default
  expect(defaultOf({ default: 'Ada \u202e\u200b\u001b]52;c;aGk=\u0007' })).toBe('Ada ]52;c;aGk=')
  expect(defaultOf({ default: 'one\r\ntwo' })).toBe('one\ntwo')
  expect(defaultOf({ default: 'x'.repeat(10_000) })).toHaveLength(10_000)
  expect(defaultOf({ default: 'x'.repeat(10_001) })).toBeUndefined()
  expect(defaultOf({ default: 'x'.repeat(10), maxLength: 9 })).toBeUndefined()
  expect(defaultOf({ default: '😀'.repeat(9), maxLength: 9 })).toBe('😀'.repeat(9))
})

it('rejects a form that is too large or cannot be filled in', () => {
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`f${n}`, { type: 'boolean' as const }]))
  expect(formFields({ type: 'object', properties: many })).toBeUndefined()
  expect(formFields({ type: 'object', properties: { none: { type: 'string', enum: [] } } })).toBeUndefined()
  const long = { type: 'string' as const, enum: ['a'.repeat(300_000), 'b'.repeat(300_000)] }
  expect(formFields({ type: 'object', properties: { long } })).toBeUndefined()
  expect(
    formFields({ type: 'object', properties: { huge: { type: 'string', title: 'x'.repeat(100_000) } } })?.[0]?.title,
  ).toHaveLength(200)
})
