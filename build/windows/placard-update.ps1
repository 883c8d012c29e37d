# The update helper for Windows: installs updates of the player as SYSTEM, and rolls back those whose new version does
# not work. Same files and states as build/linux/placard-update; see there. Two differences: Windows PowerShell has no
# Ed25519, so this script requires an Authenticode signature by the publisher of the installed player, also on a
# rollback; and it watches only the ten minutes, not the number of crashes.
#
# NOT YET RUN ON WINDOWS.
$ErrorActionPreference = 'Stop'
$env:PSModulePath = Join-Path $PSHOME 'Modules'
$TrialMinutes = 10
# A manual installation that takes longer was aborted.
$InstallingMinutes = 15
$Exe = Join-Path ([Environment]::GetFolderPath('ProgramFiles')) 'Placard\Placard.exe'
$Folder = Join-Path ([Environment]::GetFolderPath('CommonApplicationData')) 'Placard\update'
$Inbox = Join-Path $Folder 'inbox'
$Safe = Join-Path $Folder 'packages'
$StateFile = Join-Path $Folder 'state'
$BlockedFile = Join-Path $Folder 'blocked'
$Key = 'HKLM:\SOFTWARE\Placard'

$state = [ordered]@{ phase = 'idle'; outcome = 'none'; code = ''; from = ''; to = ''; boot = ''; since = ''; publisher = '' }
if (Test-Path $StateFile) {
  foreach ($line in [IO.File]::ReadAllLines($StateFile)) {
    $name, $value = $line -split '=', 2
    if ($state.Contains($name)) { $state[$name] = $value }
  }
}

function Write-Durably([string]$path, [string]$text) {
  $bytes = (New-Object Text.UTF8Encoding $false).GetBytes($text)
  $stream = New-Object IO.FileStream("$path.new", [IO.FileMode]::Create, [IO.FileAccess]::Write)
  try { $stream.Write($bytes, 0, $bytes.Length); $stream.Flush($true) } finally { $stream.Dispose() }
  Move-Item -Force "$path.new" $path
}

function Write-State([hashtable]$change) {
  foreach ($name in $change.Keys) { $state[$name] = $change[$name] }
  $lines = foreach ($name in $state.Keys) { "$name=$($state[$name])" }
  Write-Durably $StateFile (($lines -join "`n") + "`n")
}

function Clear-Inbox { # request last
  foreach ($name in 'package', 'manifest', 'manifest.sig', 'request') {
    Remove-Item -Force -ErrorAction SilentlyContinue (Join-Path $Inbox $name)
  }
}

# Returns a file of the inbox. Users can write there, so it must be within the size limit and not be a link.
function Get-Given([string]$name, [long]$largest) {
  $file = Get-Item -Force -LiteralPath (Join-Path $Inbox $name)
  if ($file.PSIsContainer -or ($file.Attributes -band [IO.FileAttributes]::ReparsePoint) -or $file.Length -gt $largest) {
    throw "$name is a folder or a link, or larger than $largest bytes"
  }
  $file
}

# Three numbers: electron-builder appends a fourth to some of the version texts.
function Get-Version([string]$file) {
  $info = (Get-Item -LiteralPath $file).VersionInfo
  '{0}.{1}.{2}' -f $info.FileMajorPart, $info.FileMinorPart, $info.FileBuildPart
}
function Get-Publisher([string]$file) {
  $signature = Get-AuthenticodeSignature -LiteralPath $file
  if ($signature.Status -eq 'Valid') { $signature.SignerCertificate.Subject } else { $null }
}
function Get-Blocked { if (Test-Path $BlockedFile) { [IO.File]::ReadAllLines($BlockedFile) } else { @() } }
function Get-Boot { (Get-CimInstance Win32_OperatingSystem).LastBootUpTime }

# The installer stops the player and disables its task; this registers the task of the installed version and runs it.
function Resume-Player {
  Remove-ItemProperty -Path $Key -Name Installing -ErrorAction SilentlyContinue
  $task = Join-Path (Split-Path $Exe) 'resources\windows\player-task.xml'
  $how = if (Test-Path $task) { '/Create', '/F', '/XML', $task } else { '/Change', '/ENABLE' }
  & "$env:SystemRoot\System32\schtasks.exe" @how /TN 'Placard\Player' | Out-Null
  & "$env:SystemRoot\System32\schtasks.exe" /Run /TN 'Placard\Player' | Out-Null
}

# On any error, start the player, so that the screen does not stay dark. The task retries in 5 minutes.
trap { Resume-Player; exit 70 }

# Returns 'installed', 'failed', or 'spoilt' if the package is missing or not signed by the publisher (it is not run then).
function Install-Package([string]$version) {
  $setup = Join-Path $Safe "$version.exe"
  if (-not (Test-Path -LiteralPath $setup -PathType Leaf)) { return 'spoilt' }
  if ($state.publisher -eq '' -or (Get-Publisher $setup) -cne $state.publisher) { return 'spoilt' }
  try {
    $run = Start-Process -Wait -PassThru $setup -ArgumentList '/S', '--updated'
    if ($run.ExitCode -eq 0 -and (Test-Path $Exe) -and (Get-Version $Exe) -eq $version) { return 'installed' }
  } catch {
    Write-Output "$setup could not be run: $_" | Out-Host
  }
  'failed'
}

# Returns the code of a refusal, or nothing when the candidate is ready to be installed.
function Read-Request([string]$installed) {
  $text = [IO.File]::ReadAllText((Get-Given 'manifest' 4096).FullName)
  $form = '\Aplacard-release=1\npackage=placard-windows\nversion=(\d+\.\d+\.\d+)\narch=x64\nsize=(\d+)\nsha512=([0-9a-f]{128})\n\z'
  if ($text -cnotmatch $form) { return 'bad_manifest' }
  $to, $size, $sha512 = $Matches[1], [long]$Matches[2], $Matches[3]
  $state['to'] = $to
  if ([version]$to -le [version]$installed) { return 'not_an_upgrade' }
  if ((Get-Blocked) -contains $to) { return 'blocked' }
  if (-not (Test-Path (Join-Path $Safe "$installed.exe"))) { return 'no_way_back' }
  $package = Get-Given 'package' ([long]::MaxValue)
  if ($package.Length -ne $size) { return 'wrong_size' }
  # Copied first, then verified where users cannot write.
  $candidate = Join-Path $Safe 'candidate.exe'
  Copy-Item -Force -LiteralPath $package.FullName -Destination $candidate
  if ((Get-FileHash -Algorithm SHA512 $candidate).Hash -ne $sha512) { return 'wrong_hash' }
  $publisher = Get-Publisher $Exe
  if (-not $publisher -or (Get-Publisher $candidate) -cne $publisher) { return 'bad_signature' }
  if ((Get-Version $candidate) -ne $to) { return 'wrong_contents' }
  if ((Get-Publisher (Join-Path $Safe "$installed.exe")) -cne $publisher) { return 'no_way_back' }
  $state['publisher'] = $publisher
  Move-Item -Force $candidate (Join-Path $Safe "$to.exe")
}

$begun = (Get-ItemProperty -Path $Key -Name Installing -ErrorAction SilentlyContinue).Installing
if ($null -ne $begun -and $state.phase -in 'idle', 'trial') {
  $uptime = [long]((Get-Date) - (Get-Boot)).TotalMilliseconds
  # A manual installation is running.
  if ($begun -le $uptime -and $uptime - $begun -lt $InstallingMinutes * 60000) { exit 0 }
  Resume-Player
}

if ($state.phase -eq 'idle' -and (Test-Path (Join-Path $Inbox 'request'))) {
  $installed = Get-Version $Exe
  $state['from'] = $installed
  $state['to'] = ''
  $refusal = try { Read-Request $installed } catch { 'incomplete' }
  if ($refusal) {
    Write-State @{ outcome = 'failed'; code = $refusal }
    Clear-Inbox
    exit 0
  }
  Write-State @{ phase = 'installing'; outcome = 'installing'; code = '' }
}

if ($state.phase -eq 'installing') {
  Clear-Inbox
  if ((Install-Package $state.to) -eq 'installed') {
    Remove-Item -Force -ErrorAction SilentlyContinue (Join-Path $Inbox 'healthy')
    Write-State @{ phase = 'trial'; outcome = 'trial'; boot = (Get-Boot).ToString('o'); since = (Get-Date).ToString('o') }
    Resume-Player
    exit 0
  }
  Write-State @{ phase = 'returning'; outcome = 'returning'; code = 'install_failed' }
}

if ($state.phase -eq 'trial') {
  Clear-Inbox
  if ((Test-Path $Exe) -and (Get-Version $Exe) -ne $state.to) {
    Write-State @{ phase = 'idle'; outcome = 'failed'; code = 'changed_by_hand' }
    exit 0
  }
  $healthy = Join-Path $Inbox 'healthy'
  $word = if (Test-Path $healthy) { try { [IO.File]::ReadAllText((Get-Given 'healthy' 64).FullName).Trim() } catch { '' } } else { '' }
  if ($word -ceq $state.to) {
    Write-State @{ phase = 'idle'; outcome = 'confirmed' }
    Get-ChildItem $Safe -Exclude "$($state.to).exe" | Remove-Item -Force
    exit 0
  }
  $boot = (Get-Boot).ToString('o')
  if ($state.boot -ne $boot) { Write-State @{ boot = $boot; since = (Get-Date).ToString('o') } }
  if (((Get-Date) - [datetime]$state.since).TotalMinutes -lt $TrialMinutes) { exit 0 }
  Write-State @{ phase = 'returning'; outcome = 'returning'; code = 'unhealthy' }
}

if ($state.phase -eq 'returning') {
  if ((Get-Blocked) -notcontains $state.to) {
    Write-Durably $BlockedFile (((@(Get-Blocked) + $state.to) -join "`n") + "`n")
  }
  $how = Install-Package $state.from
  if ($how -eq 'installed') { Write-State @{ phase = 'idle'; outcome = 'rolled_back' } }
  # The installed version stays, and is blocked: only the next version is installed.
  if ($how -eq 'spoilt') { Write-State @{ phase = 'idle'; outcome = 'failed'; code = 'no_way_back' } }
  Resume-Player
  if ($how -eq 'failed') { exit 75 } # the task retries in 5 minutes
}
