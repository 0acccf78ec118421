import type { ApiDeps, Implementer } from './implementer'

export function previewHandlers(os: Implementer, { host }: ApiDeps) {
  return { open: os.preview.open.handler(({ input }) => host.preview?.(input.url) ?? null) }
}
