import type { Language, LanguageSettings } from '../configuration/appearance'

/** A text, or one for each plural form of `{count}`. */
export type Message = string | ({ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>)

/** Languages that are written from right to left. */
const RIGHT_TO_LEFT = ['ar', 'fa', 'he', 'ur']

let language: Language = 'en'
/** The locale for dates and numbers; undefined: the system's. */
let formats: string | undefined

/** Sets the language of all messages; returns the page's language and direction. */
export function setSpoken(settings: LanguageSettings): { lang: string; dir: 'ltr' | 'rtl' } {
  language = settings.language
  formats = settings.formats === 'system' ? undefined : settings.formats
  return { lang: language, dir: RIGHT_TO_LEFT.includes(language.split('-', 1)[0]!) ? 'rtl' : 'ltr' }
}

type Names<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
type NamesIn<M> = M extends string ? Names<M> : M extends { other: infer Other } ? Names<Other> : never
type Messages = Readonly<Record<string, Message>>
type Values = Readonly<Record<string, string | number>>

/** The keys of messages without values. */
export type PlainKeys<Own extends Messages> = {
  [Key in keyof Own]: [NamesIn<Own[Key]>] extends [never] ? Key : never
}[keyof Own]

/** A function that returns a message in the user's language, with its values filled in. */
export type Translator<Own extends Messages> = <Key extends keyof Own>(
  key: Key,
  ...values: [NamesIn<Own[Key]>] extends [never] ? [] : [values: Readonly<Record<NamesIn<Own[Key]>, string | number>>]
) => string

/** The messages of a part of the interface in every language. A missing message does not compile. */
export type Catalogs<Own extends Messages> = { readonly en: Own } & Readonly<
  Record<Language, Readonly<Record<keyof Own, Message>>>
>

/** Creates the function that returns the messages of a part of the interface. */
export function translator<const Own extends Messages>(catalogs: Catalogs<Own>): Translator<Own> {
  return (key, ...[values]) => fill(catalogs[language][key], (values as Values | undefined) ?? {}, language)
}

/** Fills in a message; its plural form follows `count`, and numbers are written in the user's formats. */
export function fill(message: Message, values: Values, locale: string): string {
  const { count } = values
  const text =
    typeof message === 'string'
      ? message
      : ((typeof count === 'number' ? message[new Intl.PluralRules(locale).select(count)] : undefined) ?? message.other)
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    return value === undefined ? whole : typeof value === 'number' ? formatNumber(value) : value
  })
}

/** A number in the user's formats. */
export function formatNumber(value: number, options?: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(formats, options).format(value)
}

/** A date in the user's formats. `invalid date` for one out of range, such as the forged date of a commit. */
export function formatDate(value: Date | number, options?: Intl.DateTimeFormatOptions): string {
  if (Number.isNaN(new Date(value).getTime())) return 'invalid date'
  return new Intl.DateTimeFormat(formats, options).format(value)
}

/** A day and a time of day in the user's formats. */
export function formatMoment(value: Date | number): string {
  return formatDate(value, { dateStyle: 'medium', timeStyle: 'short' })
}
