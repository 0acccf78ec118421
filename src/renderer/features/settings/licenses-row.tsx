import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { ErrorNote } from '../../ui/error-note'
import { Skeleton } from '../../ui/skeleton'
import { AboutRow } from './about-row'

/** What the build puts beside the page (scripts/licenses/third-party-licenses.ts). */
const TEXTS = [
  { file: 'LICENSE.txt', label: 'License', title: 'Trestle license' },
  { file: 'NOTICE.txt', label: 'Notice', title: 'Notice' },
  { file: 'third-party-licenses.txt', label: 'Third-party licenses', title: 'Third-party licenses' },
] as const

type LicenseText = (typeof TEXTS)[number]

/** Buttons that show Trestle's own terms and those of everything it includes. */
export function LicensesRow() {
  const [shown, setShown] = useState<LicenseText>()
  return (
    <AboutRow name="License">
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1">
        <span>Apache-2.0</span>
        <span className="flex flex-wrap gap-1.5">
          {TEXTS.map((text) => (
            <Button key={text.file} size="small" onClick={() => setShown(text)}>
              {text.label}
            </Button>
          ))}
        </span>
      </span>
      <Dialog open={shown !== undefined} onOpenChange={(open) => !open && setShown(undefined)} title={shown?.title ?? ''} width={760}>
        {shown && <LicenseTextView file={shown.file} />}
      </Dialog>
    </AboutRow>
  )
}

function LicenseTextView({ file }: { file: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['license-text', file],
    queryFn: () => loadText(file),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (error) {
    const failure = {
      title: "Couldn't load the text",
      message: error.message,
      advice: 'The texts are also in the files of the same names in the source code.',
    }
    return <ErrorNote failure={failure} actions={<Button onClick={() => void refetch()}>Try again</Button>} />
  }
  if (data === undefined) return <Skeleton className="h-40" />
  return (
    // A long text scrolls with the keyboard only when it can have the focus.
    <div tabIndex={0} role="document" aria-label="License text" className="space-y-4 pb-2 outline-none">
      {sectionsOf(data).map((section, index) => (
        <pre
          key={index}
          className="font-mono text-small wrap-anywhere whitespace-pre-wrap text-ink-2 [contain-intrinsic-height:auto_400px] [content-visibility:auto]"
        >
          {section}
        </pre>
      ))}
    </div>
  )
}

async function loadText(file: string): Promise<string> {
  const response = await fetch(`/licenses/${file}`)
  if (!response.ok) throw new Error(`${file} is missing from this build.`)
  return response.text()
}

/** One section for each license, so that only what is on screen is laid out. */
function sectionsOf(text: string): string[] {
  return text.split(/\n-{80}\n/).map((section) => section.trim())
}
