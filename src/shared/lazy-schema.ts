import type { z } from 'zod'

/** A schema that is built on first use: building all of them would take a tenth of the startup time. */
export type LazySchema<Schema extends z.ZodType = z.ZodType> = () => Schema

/** The type of a value that the schema has accepted. */
export type SchemaOutput<Lazy extends LazySchema> = z.output<ReturnType<Lazy>>

/** Returns the same schema to every caller. */
export function lazySchema<Part>(build: () => Part): () => Part {
  let built: { part: Part } | undefined
  return () => (built ??= { part: build() }).part
}
