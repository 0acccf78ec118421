import { ChevronRight, FlaskConical, Folder, FolderOpen, MessageSquare } from 'lucide-react'
import { useState } from 'react'
import type { AppInfo } from '../../../shared/contract/app'
import { folderName, shortPath } from '../../format/folder-name'
import { showFailureToast } from '../../state/page/toasts-state'
import { useClient } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { FolderBrowser } from './folder-browser'

/** What is chosen instead of a folder for a session without a project. */
export const NO_PROJECT = ''

interface FolderStepProps {
  info: AppInfo | undefined
  folder: string | undefined
  /** Folders that have sessions, latest first. */
  recent: readonly string[]
  /** The recent folders are listed only on request. */
  isFolded: boolean
  onChoose: (folder: string, scratch: boolean) => void
}

const MAX_RECENT = 5

/** Chooses the project folder: a recent one, any other, none, or a temporary one for the demo. */
export function FolderStep({ info, folder, recent, isFolded, onChoose }: FolderStepProps) {
  const client = useClient()
  const [browsing, setBrowsing] = useState(false)
  const [busy, setBusy] = useState<'dialog' | 'scratch'>()
  const [listed, setListed] = useState(false)
  const userHome = info?.userHome

  const browse = async (): Promise<void> => {
    if (info?.host !== 'electron') return setBrowsing(true)
    setBusy('dialog')
    try {
      const chosen = await client.app.chooseFolder()
      if (chosen) onChoose(chosen.path, false)
    } catch (error) {
      showFailureToast(error)
    } finally {
      setBusy(undefined)
    }
  }
  const scratch = async (): Promise<void> => {
    setBusy('scratch')
    try {
      onChoose((await client.folder.scratch()).path, true)
    } catch (error) {
      showFailureToast(error)
    } finally {
      setBusy(undefined)
    }
  }

  const isList = !isFolded || listed
  const shown = isList ? recent.slice(0, MAX_RECENT) : []
  return (
    <>
      {shown.length > 0 && (
        <ul aria-label="Recent folders" className="mb-3 overflow-hidden rounded-lg border border-line bg-raised">
          {shown.map((path) => {
            const { name, parent } = folderName(path, userHome)
            return (
              <li key={path} className="border-t border-line first:border-t-0">
                <button
                  type="button"
                  aria-pressed={path === folder}
                  onClick={() => {
                    setListed(false)
                    onChoose(path, false)
                  }}
                  className={cx(
                    'flex h-[34px] w-full items-center gap-2.5 px-3 text-left hover:bg-panel focus-visible:-outline-offset-2',
                    path === folder && 'bg-panel font-medium',
                  )}
                >
                  <Folder aria-hidden className="size-[15px] flex-none text-ink-3" />
                  <span className="truncate">{name}</span>
                  <span className="min-w-0 flex-1 truncate text-small font-normal text-ink-3">{parent}</span>
                  {path === folder && <span className="text-small font-normal text-ink-3">chosen</span>}
                </button>
              </li>
            )
          })}
        </ul>
      )}
      <div className={cx('flex flex-wrap gap-2', !isList && '-ml-2')}>
        {isFolded && recent.length > 1 && (
          <Button
            size="small"
            variant="quiet"
            icon={<ChevronRight aria-hidden className={cx(listed && 'rotate-90')} />}
            aria-expanded={listed}
            onClick={() => setListed(!listed)}
          >
            Recent folders
          </Button>
        )}
        <Button
          {...(isFolded && { size: 'small' })}
          variant={isFolded ? 'quiet' : folder === undefined && shown.length === 0 ? 'primary' : 'default'}
          icon={<FolderOpen aria-hidden />}
          busy={busy === 'dialog'}
          onClick={() => void browse()}
        >
          Choose a folder…
        </Button>
        <Button
          {...(isFolded && { size: 'small' })}
          variant="quiet"
          icon={<MessageSquare aria-hidden />}
          aria-pressed={folder === NO_PROJECT}
          onClick={() => {
            setListed(false)
            onChoose(NO_PROJECT, false)
          }}
        >
          No project
        </Button>
        <Button
          {...(isFolded && { size: 'small' })}
          variant="quiet"
          icon={<FlaskConical aria-hidden />}
          busy={busy === 'scratch'}
          onClick={() => void scratch()}
        >
          Try the demo in a temporary folder
        </Button>
      </div>
      <FolderBrowser
        open={browsing}
        onOpenChange={setBrowsing}
        start={folder || '~'}
        shorten={(path) => shortPath(path, userHome)}
        recent={recent}
        onChoose={(path) => {
          setBrowsing(false)
          onChoose(path, false)
        }}
      />
    </>
  )
}
