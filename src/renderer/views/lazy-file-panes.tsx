import { onDemand } from '../ui/on-demand'
import { Skeleton } from '../ui/loading'

const waiting = () => <Skeleton className="m-4 w-1/2" />

/** One file. */
export const FilePane = onDemand(() => import('./project-file').then((module) => module.ProjectFile), waiting)

/** The file tree. */
export const FilesPane = onDemand(
  () => import('../features/file-tree/files-pane').then((module) => module.FilesPane),
  waiting,
)
