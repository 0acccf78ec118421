import type { DiagnosticsReport } from '../../../shared/configuration/app'
import { createRedact } from './app-log'
import type { Secrets } from '../config/key-store/secrets'
import type { Settings } from '../config/settings/settings'
import type { LoginEnvironment, LoginShellOptions } from '../environment/login-environment'
import type { TaskHostProgram } from '../task/client/host-connector'
import type { DiagnosticsSection, ReportContext } from './run-checks'

export interface EngineDiagnosticsDeps {
  home: string
  version: string
  settings(): Settings
  secrets: Pick<Secrets, 'get'>
  environment: Pick<LoginEnvironment, 'view'>
  catalog: NonNullable<ReportContext['catalog']>
  taskHost: TaskHostProgram | undefined
  loginShell: LoginShellOptions | undefined
  systemProxy: ((url: string) => Promise<string>) | undefined
}

/** An engine's diagnostics for support. */
export interface EngineDiagnostics {
  /** `more`: sections from the host. */
  report(more?: readonly DiagnosticsSection[]): Promise<DiagnosticsReport>
  /** Removes secrets from a text: stored and configured keys, secret variables, and text that looks like a key. */
  redact(text: string): string
}

export function createEngineDiagnostics(deps: EngineDiagnosticsDeps): EngineDiagnostics {
  const { home, version, settings, secrets, environment, catalog, taskHost, loginShell, systemProxy } = deps
  const redact = createRedact({ env: process.env, known: () => keysOf(settings(), secrets) })
  return {
    redact,
    async report(more = []) {
      const { diagnosticsReport } = await import('./run-checks')
      return diagnosticsReport({
        version,
        home,
        env: process.env,
        more,
        redact,
        catalog,
        loginShell: environment.view(),
        ...(taskHost && { taskHost }),
        ...(loginShell?.node && { node: loginShell.node }),
        ...(systemProxy && { systemProxy }),
      })
    },
  }
}

function keysOf({ providers, web }: Settings, secrets: Pick<Secrets, 'get'>): string[] {
  const ofProviders = Object.entries(providers).flatMap(([id, { apiKey, headers }]) => [
    secrets.get(id),
    apiKey,
    ...Object.values(headers ?? {}),
  ])
  return [...ofProviders, web.search?.apiKey].filter((key) => key !== undefined)
}
