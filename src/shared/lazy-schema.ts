import type { z } from 'zod'

/** A schema that is built when it is first asked for: building all of them would take a tenth of a start. */
export type LazySchema<Schema extends z.ZodType = z.ZodType> = () => Schema

/** What a value has once the schema has accepted it. */
export type SchemaOutput<Lazy extends LazySchema> = z.output<ReturnType<Lazy>>

/** The same schema for every caller. */
export function lazySchema<Part>(build: () => Part): () => Part {
  let built: { part: Part } | undefined
  return () => (built ??= { part: build() }).part
}
