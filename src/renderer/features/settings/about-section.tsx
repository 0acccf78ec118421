import type { AppInfo } from '../../../shared/contract/app'
import type { ConfigProblem, SettingsView } from '../../../shared/model/settings'
import { Logo } from '../../ui/logo'
import { SectionHead } from '../../ui/section-head'
import { AboutRow, PathRow } from './about-row'
import { BackupsRows } from './backups-rows'
import { LicensesRow } from './licenses-row'
import { UpdatesPart } from './updates-part'

/** Which Trestle this is, where it keeps things, and what is wrong with the configuration file. */
export function AboutSection({ settings, info }: { settings: SettingsView; info: AppInfo | undefined }) {
  return (
    <div className="space-y-9">
      <section aria-labelledby="settings-about">
        <SectionHead id="settings-about" title="About" />
        <dl className="overflow-hidden rounded-lg border border-line bg-raised">
          <AboutRow name="Version">
            <span className="flex items-center gap-2">
              <Logo /> Trestle {info?.version ?? '…'}
            </span>
          </AboutRow>
          {info && (
            <AboutRow name="Runs as">
              {info.host === 'electron' ? `Desktop app on ${info.platform}` : `Web host on ${info.platform}`}
            </AboutRow>
          )}
          {info && <PathRow name="Home folder" path={info.home} />}
          <PathRow name="Configuration file" path={settings.file} />
          <BackupsRows />
          <LicensesRow />
        </dl>
        <p className="mt-2 text-small text-ink-3">
          Changes made in the file by hand take effect at once; comments and order survive changes made here.
        </p>
      </section>
      <UpdatesPart />
      <section aria-labelledby="settings-problems">
        <SectionHead id="settings-problems" title="Configuration" />
        {settings.problems.length === 0 ? (
          <p className="text-ui text-ink-2">No problems in config.toml</p>
        ) : (
          <Problems problems={settings.problems} />
        )}
      </section>
    </div>
  )
}

/** Every mistake with its place. */
export function Problems({ problems }: { problems: readonly ConfigProblem[] }) {
  return (
    <ul className="overflow-hidden rounded-lg border border-[color-mix(in_oklab,var(--fail)_35%,var(--line))] bg-fail-bg">
      {problems.map((problem, index) => (
        <li key={index} className="border-t border-line px-3.5 py-2 first:border-t-0">
          <p className="font-mono text-small wrap-anywhere text-fail-ink">
            {[problem.file, problem.line, problem.column].filter((part) => part !== undefined).join(':')}
          </p>
          <p className="break-words">{problem.message}</p>
        </li>
      ))}
    </ul>
  )
}
