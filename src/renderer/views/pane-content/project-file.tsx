import { useCallback } from 'react'
import { Markdown } from '../../features/chat/markdown/markdown-on-demand'
import { FilePane } from '../../features/files/file-pane'
import { MarkdownImage } from '../../features/files/content/markdown-image'
import { FileFolderContext, LocalImageContext } from '../../state/file-links'

export interface ProjectFileProps {
  sessionId: string
  path: string
  line?: number | undefined
}

/** A file of a session's project, with Markdown rendered as in the conversation. */
export function ProjectFile(props: ProjectFileProps) {
  return <FilePane {...props} Markdown={FileMarkdown} />
}

/** Markdown of a file: its links and images are relative to the file's folder. */
function FileMarkdown({ sessionId, path, text }: { sessionId: string; path: string; text: string }) {
  const folder = path.replace(/[\\/][^\\/]*$/, '')
  const image = useCallback(
    (href: string, name: string) => <MarkdownImage sessionId={sessionId} folder={folder} href={href} name={name} />,
    [sessionId, folder],
  )
  return (
    <FileFolderContext value={folder}>
      <LocalImageContext value={image}>
        <Markdown text={text} streaming={false} />
      </LocalImageContext>
    </FileFolderContext>
  )
}
