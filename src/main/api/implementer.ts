import { implement, ORPCError, AsyncIteratorClass } from '@orpc/server'
import { contract } from '../../shared/contract'
import { mayCall, needed } from '../../shared/contract/method-access'
import type { DeviceAccess } from '../../shared/model/place/paired-device'
import type { AppInfo } from '../../shared/contract/app/app'
import type { DesktopView } from '../../shared/configuration/settings'
import type { Theme } from '../../shared/configuration/appearance'
import type { DiagnosticsReport, UpdateAction, UpdatesView } from '../../shared/configuration/app'
import type { PagePicture, PreviewViewCommand, PreviewViewReport, ViewPlace } from '../../shared/model/app/page-preview'
import type { EngineStatus, EngineStop } from '../../shared/model/app/engine'
import type { HostCommand } from '../../shared/events/push'
import type { Engine } from '../engine/engine-api'
import type { FileActions } from './user-editor'
import { type Failure, CodedError, failureOf } from '../../shared/errors'

/** What the desktop app does for its page; see the contract with the same name. */
export interface DesktopActions {
  view(): DesktopView
  setTheme(theme: Theme): void
  setAcceleratedGraphics(enabled: boolean): DesktopView
  openWindow(path: string): boolean
  resumeInterrupted(resume: boolean): Promise<number>
}

/** Capabilities that only the host of this process has. */
export interface HostActions {
  kind: AppInfo['host']
  /** What the client can call; set for paired devices. */
  access?: DeviceAccess
  /** Opens the native folder dialog; null when the host has no dialog or the user cancelled. */
  chooseFolder(): Promise<string | null>
  /** Opens an allow-listed URL in the user's browser; false when this host cannot. */
  openExternal(url: string): Promise<boolean>
  /** Opens files on the user's machine; absent where the host may run elsewhere. */
  files?: FileActions
  /** Problems of this host and how they were handled; shown with the engine's notices. */
  notices?(): readonly string[]
  /** Present where this process is the engine of its home. */
  role?: RoleActions
  /** Makes a server of this machine available to a frame of the page; absent where pages show no frames. */
  preview?(url: string): Promise<{ frameUrl: string }>
  /** Shows such pages in separate views instead of frames. */
  previewViews?: PreviewViews
  /** Present in the desktop app. */
  desktop?: DesktopActions
  /** Diagnostics that only this host has, such as the key store and the graphics status. */
  diagnostics?(): Promise<DiagnosticsReport['sections']>
  /** Updates of the app; absent where it cannot update itself. */
  updates?: UpdateActions
  /** Subscribes to commands from native menus; returns a function that unsubscribes. */
  onCommand?(listener: (command: HostCommand) => void): () => void
}

/** Pages of local servers, in views above the page of a window. */
export interface PreviewViews {
  /**
   * Opens a hidden view. Returns a function that closes it. Throws `request.invalid` for anything but a local server.
   */
  open(url: string, onReport: (report: PreviewViewReport) => void): () => void
  /** Shows it at that position; null hides it and returns its picture, if it was visible. */
  place(viewId: string, place: ViewPlace | null): Promise<PagePicture | undefined>
  command(viewId: string, command: PreviewViewCommand): void
  capture(viewId: string): Promise<PagePicture>
}

/** What clients do with the engine of a home. */
export interface RoleActions {
  status(): Promise<EngineStatus>
  /** Resolves before the engine stops. */
  stop(how: EngineStop, restart: boolean): Promise<EngineStatus>
  /** Names of variables that differ in the client's environment; `marks`: keyed hashes of its values by name. */
  differentVariables(marks: Readonly<Record<string, string>>): Promise<string[]>
}

/** How a host keeps itself up to date. */
export interface UpdateActions {
  view(): UpdatesView
  /** Performs the user's action and returns the state at that point; downloads continue. */
  act(action: UpdateAction): Promise<UpdatesView>
}

export interface ApiDeps {
  engine: Engine
  host: HostActions
  logBug: LogBug
}

/**
 * The contract's implementer for every handler file: maps errors, rejects what a paired device may not call, and
 * forwards calls about a place to it. Without an engine, the methods handle all calls themselves.
 */
export function implementer({ engine, host, logBug }: Omit<ApiDeps, 'engine'> & Partial<Pick<ApiDeps, 'engine'>>) {
  return implement(contract).use(async ({ next, path, signal }, input, output) => {
    try {
      if (host.access !== undefined) checkAccess(host.access, path.join('.'))
      const routed = engine?.places.route(path.join('.'), input)
      const call = routed instanceof Promise ? await routed : routed
      if (!call) return await next()
      const result = await call.call(signal)
      return output(
        isPushes(result) ? withMappedError(result, (error) => toRpcError(error, logBug, path.join('.'))) : result,
      )
    } catch (error) {
      throw toRpcError(error, logBug, path.join('.'))
    }
  })
}

/** The only function that rejects calls of paired devices, before their input is read. */
function checkAccess(access: DeviceAccess, method: string): void {
  if (mayCall(access, method)) return
  if (needed(method) === 'computer') throw new CodedError('device.not_here', `A paired device cannot call ${method}.`)
  throw new CodedError('device.read_only', `${method} changes something, and this device has read-only access.`)
}

export type Implementer = ReturnType<typeof implementer>

/** Logs a bug, including the error's stack; a host passes its log. */
export type LogBug = (message: string, error: unknown) => void

/** The wire form of a failure: the code is kept, the whole `Failure` travels in `data`. */
export function rpcErrorOf(failure: Failure, cause?: unknown): ORPCError<string, Failure> {
  return new ORPCError(failure.code, {
    status: failure.code === 'internal' ? 500 : 400,
    message: failure.message,
    data: failure,
    cause,
  })
}

/**
 * Maps anything thrown to the error for the client: a `CodedError` keeps its code, invalid input becomes
 * `request.invalid` naming the fields, everything else is a bug: logged with its stack and sent as `internal`.
 */
export function toRpcError(error: unknown, logBug: LogBug, where: string): ORPCError<string, unknown> {
  if (error instanceof CodedError) {
    if (error.code === 'internal') logBug(`internal failure in ${where}`, error)
    return rpcErrorOf(error.failure, error)
  }
  if (error instanceof ORPCError) {
    if (error.code === 'BAD_REQUEST')
      return rpcErrorOf(new CodedError('request.invalid', describeIssues(error)).failure, error)
    if (isFailure(error.data)) return error
  }
  const failure = failureOf(error)
  if (failure.code === 'internal') logBug(`bug in ${where}`, error)
  return rpcErrorOf(failure, error)
}

/** Lists each invalid field with its problem, e.g. `parts.0.data: Invalid base64`. */
function describeIssues(error: ORPCError<string, unknown>): string {
  const data = error.data
  const issues: unknown[] =
    typeof data === 'object' && data !== null && 'issues' in data && Array.isArray(data.issues) ? data.issues : []
  const lines = issues.slice(0, 10).map((issue) => {
    const { path, message } = issue as { path?: readonly unknown[]; message?: unknown }
    const field = (path ?? [])
      .map((key) => (typeof key === 'object' && key !== null && 'key' in key ? String(key.key) : String(key)))
      .join('.')
    return `${field === '' ? 'input' : field}: ${String(message)}`
  })
  if (issues.length > lines.length) lines.push(`and ${issues.length - lines.length} more`)
  return lines.length === 0 ? error.message : lines.join('; ')
}

function isFailure(data: unknown): data is Failure {
  return typeof data === 'object' && data !== null && 'code' in data && 'advice' in data && 'title' in data
}

/** Whether a method returned a subscription. */
export function isPushes(result: unknown): result is AsyncIterator<unknown, undefined> {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result
}

/** The pushes; maps the error that ends them to the form clients expect. */
export function withMappedError(
  pushes: AsyncIterator<unknown, undefined>,
  mapError: (error: unknown) => unknown,
): AsyncIteratorClass<unknown, undefined, void> {
  return new AsyncIteratorClass<unknown, undefined, void>(
    () =>
      pushes.next().catch((error: unknown) => {
        throw mapError(error)
      }),
    async () => void (await pushes.return?.()),
  )
}
