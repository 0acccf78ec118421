import { expect, it } from 'vitest'
import { formDefaults, formProblems, keptValues, type FormField } from './form'

const OPTIONS = [
  { value: 'a', title: 'A' },
  { value: 'b', title: 'B' },
]
/** Properties that the kind does not have are harmless. */
const field = (more: { kind: FormField['kind'] } & Record<string, unknown>): FormField =>
  JSON.parse(
    JSON.stringify({ key: 'k', title: 'K', required: false, options: OPTIONS, integer: false, ...more }),
  ) as FormField

it.each([
  [field({ kind: 'text', required: true }), '', 'Required.'],
  [field({ kind: 'text', minLength: 2 }), '👍', 'Enter at least 2 characters.'],
  [field({ kind: 'text', maxLength: 2 }), '👍👍', undefined],
  [field({ kind: 'text', maxLength: 1 }), 'ab', 'Enter at most 1 character.'],
  [field({ kind: 'text' }), 'x'.repeat(10_001), 'Enter at most 10000 characters.'],
  [field({ kind: 'text', format: 'email' }), 'me@example.com', undefined],
  [field({ kind: 'text', format: 'email' }), 'me at home', 'Enter an email address, such as name@example.com.'],
  [field({ kind: 'text', format: 'uri' }), 'https://example.com/x?y', undefined],
  [field({ kind: 'text', format: 'uri' }), 'example.com', 'Enter a web address, such as https://example.com.'],
  [field({ kind: 'text', format: 'date' }), '2026-02-28', undefined],
  [field({ kind: 'text', format: 'date' }), '2026-02-30', 'Enter a date, such as 2026-01-31.'],
  [field({ kind: 'text', format: 'date-time' }), '2026-02-28T10:00:00+01:00', undefined],
  [
    field({ kind: 'text', format: 'date-time' }),
    '2026-02-28 10:00',
    'Enter a date and time, such as 2026-01-31T12:00:00Z.',
  ],
  [field({ kind: 'text' }), 5, 'Enter text.'],
  [field({ kind: 'number', minimum: 1, maximum: 3 }), 0.5, 'Enter 1 or more.'],
  [field({ kind: 'number', minimum: 1, maximum: 3 }), 3.5, 'Enter 3 or less.'],
  [field({ kind: 'number', integer: true }), 1.5, 'Enter a whole number.'],
  // The typed text is not a whole number.
  [field({ kind: 'number', integer: true }), Number.NaN, 'Enter a whole number.'],
  [field({ kind: 'number', integer: true }), 1e20, 'This number is too large.'],
  [field({ kind: 'number', integer: true, maximum: 5 }), 1e20, 'Enter 5 or less.'],
  [field({ kind: 'number' }), Number.NaN, 'Enter a number.'],
  [field({ kind: 'boolean' }), false, undefined],
  [field({ kind: 'boolean' }), 'yes', 'Choose yes or no.'],
  [field({ kind: 'choice' }), 'b', undefined],
  [field({ kind: 'choice' }), 'c', 'Choose one of the options.'],
  [field({ kind: 'choices', minItems: 2 }), ['a'], 'Choose at least 2.'],
  [field({ kind: 'choices', maxItems: 1 }), ['a', 'b'], 'Choose at most 1.'],
  [field({ kind: 'choices' }), ['a', 'a'], 'Choose each only once.'],
  [field({ kind: 'choices' }), ['z'], 'Choose among the options.'],
  [field({ kind: 'choices' }), [], undefined],
] as const)('accepts exactly the values that the server allows: %o %j', (asked, value, problem) => {
  expect(formProblems([asked], { k: value as never })['k']).toBe(problem)
})

it('ignores inherited properties of the values, and refuses values for fields that the form does not have', () => {
  const asked = field({ key: 'constructor', kind: 'text', required: true })
  expect(formProblems([asked], {})).toEqual({ constructor: 'Required.' })
  expect(formProblems([], { extra: 'x' })).toEqual({ extra: 'The form has no such field.' })
})

it('keeps defaults that are false or empty, but no secrets', () => {
  const fields = [
    field({ key: 'a', kind: 'text', secret: true, default: '' }),
    field({ key: 'b', kind: 'boolean', default: false }),
  ]
  expect(formDefaults(fields)).toEqual({ a: '', b: false })
  expect(keptValues(fields, { a: 'hush', b: true })).toEqual({ b: true })
})
