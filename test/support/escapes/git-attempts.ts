import type { EscapeAttempt } from './attempt'

/** Later commands of the user, which run the programs that git's settings and hooks name. */
const USE_GIT =
  'git status; git log --oneline -1; git diff; git commit -q --allow-empty -m after; git checkout -q -b after'
const PAYLOAD = 'touch \\"$OUTSIDE/pwned\\"'
const evil = (file: string): string =>
  `printf '[core]\\n\\tfsmonitor = "${PAYLOAD}; false"\\n\\thooksPath = %s\\n' "$PROJECT/myhooks" >>${file}`
const HOOKS =
  'mkdir -p myhooks; for h in pre-commit post-checkout post-index-change post-commit; ' +
  `do printf '#!/bin/sh\\ntouch "%s/pwned"\\n' "$OUTSIDE" >myhooks/$h; chmod +x myhooks/$h; done`

/** Attempts to make git run a program later, outside. */
export const GIT_ATTEMPTS: readonly EscapeAttempt[] = [
  {
    name: 'writes hooks',
    command:
      `${HOOKS}; cp myhooks/* .git/hooks/; mkdir -p .git/hooks; ` +
      'ln -s ../../myhooks/pre-commit .git/hooks/pre-commit; mv .git/hooks .git/h; cp -r myhooks .git/hooks',
    after: USE_GIT,
  },
  {
    name: 'writes the settings of git',
    command:
      `${HOOKS}; ${evil('.git/config')}; git config core.hooksPath "$PROJECT/myhooks"; ` +
      "git config --worktree core.fsmonitor x; git config alias.status '!touch $OUTSIDE/pwned'",
    after: USE_GIT,
  },
  {
    name: 'makes the hooks and settings that the settings of git name, where they are missing',
    before:
      'git config core.hooksPath team/hooks; git config --add include.path ../.team; ' +
      'git config --add include.path ../shared/git/config',
    command:
      `${HOOKS}; mkdir -p team; cp -r myhooks team/hooks; ${evil('.team')}; mkdir -p shared/git; ` +
      `${evil('shared/git/config')}; rm -rf .team team shared; ${evil('.team')}; ls -la`,
    after: USE_GIT,
  },
  {
    name: 'replaces the settings of git',
    command:
      `${HOOKS}; cp .git/config c; ${evil('c')}; mv -f c .git/config; cp .git/config c; ` +
      `${evil('c')}; ln -f c .git/config; rm -f .git/config; cp c .git/config`,
    after: USE_GIT,
  },
  {
    name: 'renames .git and makes another',
    command:
      `${HOOKS}; mv .git old && cp -r old .git; rm -f .git/config; ` +
      `cp old/config .git/config; ${evil('.git/config')}; cp myhooks/* .git/hooks/`,
    after: USE_GIT,
  },
  {
    name: 'removes .git and makes another',
    command: `${HOOKS}; rm -rf .git; git init -q .; ${evil('.git/config')}; cp myhooks/* .git/hooks/`,
    after: USE_GIT,
  },
  {
    name: 'puts a file in the place of .git',
    command:
      `${HOOKS}; cp -r .git evil; ${evil('evil/config')}; mv .git old; ` +
      'echo "gitdir: $PROJECT/evil" >.git; ln -s evil .git',
    after: USE_GIT,
  },
  {
    name: 'makes .git/commondir',
    command:
      `${HOOKS}; mkdir -p evil; cp -r .git/. evil/; ${evil('evil/config')}; ` +
      'rm -rf .git/commondir; mv .git/commondir x; echo "$PROJECT/evil" >.git/commondir',
    after: USE_GIT,
  },
  {
    name: 'makes .git/config.worktree',
    before: 'git config extensions.worktreeConfig true',
    command: `${HOOKS}; rm -rf .git/config.worktree; ${evil('.git/config.worktree')}`,
    after: USE_GIT,
  },
  {
    name: 'changes a file that the settings of git include',
    before: 'echo >.gitconfig; git config include.path ../.gitconfig',
    command: `${HOOKS}; ${evil('.gitconfig')}; cp .gitconfig c; ${evil('c')}; mv -f c .gitconfig`,
    after: USE_GIT,
  },
  {
    name: 'changes hooks in the folder that core.hooksPath names',
    before:
      'mkdir -p tools/hooks; printf "#!/bin/sh\\n" >tools/hooks/pre-commit; ' +
      'chmod +x tools/hooks/pre-commit; git config core.hooksPath tools/hooks',
    command:
      `${HOOKS}; cp myhooks/* tools/hooks/; mv tools/hooks tools/h; ` +
      'cp -r myhooks tools/hooks; mv tools t2; mkdir -p tools; cp -r myhooks tools/hooks',
    after: USE_GIT,
  },
  {
    name: 'makes a repository in a plain folder',
    kind: 'plain',
    command:
      `${HOOKS}; git init -q .; ${evil('.git/config')}; rmdir .git; ` +
      'mv .git x; cp -r myhooks .git/hooks; echo "gitdir: $PROJECT/evil" >.git',
    after: USE_GIT,
  },
  {
    name: 'moves a repository into a plain folder',
    kind: 'plain',
    command:
      `${HOOKS}; git init -q evil; ${evil('evil/.git/config')}; ` +
      'mv -T evil/.git .git; rmdir .git; cp -r evil/.git .git',
    after: USE_GIT,
  },
  {
    name: 'changes the hooks of a submodule',
    before:
      'git init -q ../outside/lib && git -C ../outside/lib commit -q --allow-empty -m lib && git ' +
      '-c protocol.file.allow=always submodule add -q ../outside/lib lib && git commit -qm lib',
    command:
      `${HOOKS}; mkdir -p .git/modules/lib/hooks; cp myhooks/* .git/modules/lib/hooks/; ` +
      `${evil('.git/modules/lib/config')}; mv .git/modules/lib .git/modules/old && cp -r ` +
      `.git/modules/old .git/modules/lib; ${evil('.git/modules/lib/config')}; mv .git/modules .git/m; ` +
      'cp -r .git/m .git/modules; rm -f .git/modules/lib/config; cp .git/config .git/modules/lib/config; ' +
      `${evil('.git/modules/lib/config')}; echo "$PROJECT/evil" >.git/modules/lib/commondir`,
    after: USE_GIT,
  },
  {
    name: 'changes the hooks of the repository of a worktree',
    kind: 'worktree',
    command:
      `${HOOKS}; cp myhooks/* "$OUTSIDE/main/.git/hooks/"; ${evil('"$OUTSIDE/main/.git/config"')}; ` +
      `${evil('"$OUTSIDE/main/.git/worktrees/project/config.worktree"')}; ` +
      `mkdir evil; cp -r "$OUTSIDE/main/.git/." evil/; ${evil('evil/config')}; echo ` +
      '"$PROJECT/evil" >"$OUTSIDE/main/.git/worktrees/project/commondir"; echo "gitdir: $PROJECT/evil" >.git; ' +
      'echo "$PROJECT/evil" >"$OUTSIDE/main/.git/commondir"; echo x >"$OUTSIDE/main/file.txt"',
    after: `${USE_GIT}; cd "$OUTSIDE/main"; ${USE_GIT}`,
  },
  {
    name: 'claims that a folder outside is the repository of a worktree',
    command:
      'mkdir -p fake s; echo "$PROJECT/s/.git" >fake/gitdir; echo "$OUTSIDE" >fake/commondir; ' +
      'echo "gitdir: $PROJECT/fake" >s/.git; mkdir -p "t" fake2; echo "$PROJECT/t/.git" >fake2/gitdir; ' +
      'echo "$HOME/.ssh" >fake2/commondir; echo "gitdir: $PROJECT/fake2" >t/.git',
    next: ['echo x >"$OUTSIDE/new"; cat "$OUTSIDE/canary" ~/.ssh/id_rsa; echo x >~/.ssh/authorized_keys'],
  },
  {
    name: 'writes attributes with filters',
    command:
      "printf '* filter=evil\\n' >.gitattributes; printf '* filter=evil diff=evil\\n' >.git/info/attributes; " +
      'git config filter.evil.clean "touch $OUTSIDE/pwned"',
    after: `${USE_GIT}; git add -A`,
  },
  {
    name: "reads another project's objects through alternates",
    command:
      'echo "$OTHER/.git/objects" >.git/objects/info/alternates; git --git-dir="$OTHER/.git" log -p; ' +
      'GIT_OBJECT_DIRECTORY="$OTHER/.git/objects" git cat-file --batch-all-objects --batch; ' +
      'GIT_DIR="$OTHER/.git" git show HEAD; git clone "$OTHER" c; git clone "file://$OTHER" c2; cat c/* c2/*',
  },
  {
    name: 'writes the settings of the user',
    command:
      'git config --global core.fsmonitor x; git config --system core.fsmonitor x; echo x >~/.gitconfig; mkdir ' +
      '-p ~/.config/git; echo x >~/.config/git/config; GIT_CONFIG_GLOBAL=$OUTSIDE/g git config --global a.b c',
  },
  {
    name: 'keeps a process that takes the protected names when their sandbox is closed',
    kind: 'plain',
    command: `${HOOKS}; ( setsid /usr/bin/python3 -c "
import os, shutil
while True:
    try:
        os.mkdir('.git/hooks')
        shutil.copy('myhooks/pre-commit', '.git/hooks/pre-commit')
    except OSError: pass
    try:
        open('.mcp.json', 'x').write('x')
    except OSError: pass
" & ) >/dev/null 2>&1 </dev/null`,
  },
  {
    name: 'keeps a process that takes the protected names of a repository when their sandbox is closed',
    command: `( setsid /usr/bin/python3 -c "
import os
while True:
    for name in ('.mcp.json', '.envrc', '.git/commondir'):
        try: open(name, 'x').write('x')
        except OSError: pass
" & ) >/dev/null 2>&1 </dev/null`,
  },
]
