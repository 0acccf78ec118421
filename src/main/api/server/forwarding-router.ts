import { resolve } from 'node:path'
import { contract, type TrestleClient } from '../../../shared/contract'
import { CodedError } from '../../../shared/errors'
import { implementer, toRpcError, type HostActions, type LogBug, isPushes, withMappedError } from '../implementer'
import type { ApiRouter } from './router'

type Call = (input: unknown, options: { signal?: AbortSignal | undefined }) => Promise<unknown>
type Implement = { handler(run: (call: { input: unknown; signal?: AbortSignal }) => unknown): unknown }

/**
 * Every method of the contract on the engine of another process: forwarded to it, except what this host does itself,
 * such as opening a file in the user's editor.
 */
export function createForwardingRouter({
  client,
  host,
  logBug,
}: {
  client: TrestleClient
  host: HostActions
  logBug: LogBug
}): ApiRouter {
  const os = implementer({ host, logBug })
  const implement = os as unknown as Record<string, Record<string, Implement>>
  const methods = client as unknown as Record<string, Record<string, Call>>
  const own: Record<string, unknown> = {
    'app.info': os.app.info.handler(async () => {
      const info = await client.app.info()
      return {
        ...info,
        host: host.kind,
        notices: [...info.notices, ...(host.notices?.() ?? [])],
        ...(host.access && { access: host.access }),
      }
    }),
    'app.chooseFolder': os.app.chooseFolder.handler(async () => {
      const path = await host.chooseFolder()
      return path === null ? null : { path }
    }),
    'preview.open': os.preview.open.handler(({ input }) => host.preview?.(input.url) ?? null),
    'file.openers': os.file.openers.handler(async () => {
      const { chosen } = await client.file.openers()
      const [editor, editors = []] = await Promise.all([host.files?.editorName(chosen), host.files?.editors()])
      return {
        ...(editor !== undefined && { editor }),
        ...(chosen !== undefined && { chosen }),
        editors,
        reveals: host.files !== undefined,
      }
    }),
    'file.open': os.file.open.handler(async ({ input: { sessionId, path, with: way, line, column } }) => {
      // The engine checks the path: only files of the project are passed to a program.
      const [found] = await client.file.find({ sessionId, paths: [path] })
      if (!found) throw new CodedError('request.invalid', `${path} is not a file of the project.`)
      if (!host.files) return false
      const { header } = await client.session.open({ sessionId, limit: 1 })
      const place = resolve(header.folder, found.path)
      if (way === 'folder') return host.files.reveal(place)
      return host.files.edit({ path: place, line, column }, (await client.file.openers()).chosen)
    }),
  }
  const router = Object.fromEntries(
    Object.entries(contract).map(([namespace, group]) => [
      namespace,
      Object.fromEntries(
        Object.keys(group).map((verb) => [
          verb,
          own[`${namespace}.${verb}`] ??
            implement[namespace]![verb]!.handler(async ({ input, signal }) => {
              const result = await methods[namespace]![verb]!(input, { signal })
              return isPushes(result) ? withMappedError(result, (error) => toRpcError(error, logBug, verb)) : result
            }),
        ]),
      ),
    ]),
  )
  return os.router(router as unknown as Parameters<typeof os.router>[0]) as ApiRouter
}
