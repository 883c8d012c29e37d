# Installs updates of the player as SYSTEM, and takes them back when they do not prove themselves. The same files and
# states as build/linux/placard-update, which see. Two differences: Windows PowerShell knows no Ed25519, so this side
# trusts what Windows trusts, an Authenticode signature by the publisher of the player that runs; and only the ten
# minutes are watched, not the number of crashes.
#
# NOT YET RUN ON WINDOWS: the task that calls it is registered switched off.
$ErrorActionPreference = 'Stop'
$TrialMinutes = 10
$Exe = Join-Path $env:ProgramFiles 'Placard\placard-player.exe'
$Folder = Join-Path $env:ProgramData 'Placard\update'
$Inbox = Join-Path $Folder 'inbox'
$Safe = Join-Path $Folder 'packages'
$StateFile = Join-Path $Folder 'state'
$BlockedFile = Join-Path $Folder 'blocked'

$state = [ordered]@{ phase = 'idle'; outcome = 'none'; code = ''; from = ''; to = ''; boot = ''; since = '' }
if (Test-Path $StateFile) {
  foreach ($line in [IO.File]::ReadAllLines($StateFile)) {
    $key, $value = $line -split '=', 2
    if ($state.Contains($key)) { $state[$key] = $value }
  }
}

function Write-Durably([string]$path, [string]$text) {
  $bytes = [Text.Encoding]::ASCII.GetBytes($text)
  $stream = New-Object IO.FileStream("$path.new", [IO.FileMode]::Create, [IO.FileAccess]::Write)
  try { $stream.Write($bytes, 0, $bytes.Length); $stream.Flush($true) } finally { $stream.Dispose() }
  Move-Item -Force "$path.new" $path
}

function Write-State([hashtable]$change) {
  foreach ($key in $change.Keys) { $state[$key] = $change[$key] }
  $lines = foreach ($key in $state.Keys) { "$key=$($state[$key])" }
  Write-Durably $StateFile (($lines -join "`n") + "`n")
}

function Clear-Inbox { # request last
  foreach ($name in 'package', 'manifest', 'manifest.sig', 'request') {
    Remove-Item -Force -ErrorAction SilentlyContinue (Join-Path $Inbox $name)
  }
}

function Get-Installed { (Get-Item $Exe).VersionInfo.ProductVersion }
function Get-Publisher([string]$file) {
  $signature = Get-AuthenticodeSignature $file
  if ($signature.Status -eq 'Valid') { $signature.SignerCertificate.Subject } else { $null }
}
function Get-Blocked { if (Test-Path $BlockedFile) { [IO.File]::ReadAllLines($BlockedFile) } else { @() } }
function Get-Boot { (Get-CimInstance Win32_OperatingSystem).LastBootUpTime }

function Install-Package([string]$version) {
  $setup = Start-Process -Wait -PassThru (Join-Path $Safe "$version.exe") -ArgumentList '/S', '--updated'
  $setup.ExitCode -eq 0 -and (Test-Path $Exe) -and (Get-Installed) -eq $version
}

# The code of a refusal, or nothing when the candidate is ready to be installed.
function Read-Request([string]$installed) {
  $text = [IO.File]::ReadAllText((Join-Path $Inbox 'manifest'))
  $form = '\Aplacard-release=1\npackage=placard-windows\nversion=(\d+\.\d+\.\d+)\narch=x64\nsize=(\d+)\nsha512=([0-9a-f]{128})\n\z'
  if ($text -cnotmatch $form) { return 'bad_manifest' }
  $to, $size, $sha512 = $Matches[1], [long]$Matches[2], $Matches[3]
  $state['to'] = $to
  if ([version]$to -le [version]$installed) { return 'not_an_upgrade' }
  if ((Get-Blocked) -contains $to) { return 'blocked' }
  if (-not (Test-Path (Join-Path $Safe "$installed.exe"))) { return 'no_way_back' }
  if ((Get-Item (Join-Path $Inbox 'package')).Length -ne $size) { return 'wrong_size' }
  # Copied first, judged where users cannot write.
  $candidate = Join-Path $Safe 'candidate.exe'
  Copy-Item -Force (Join-Path $Inbox 'package') $candidate
  if ((Get-FileHash -Algorithm SHA512 $candidate).Hash -ne $sha512) { return 'wrong_hash' }
  $publisher = Get-Publisher $Exe
  if (-not $publisher -or (Get-Publisher $candidate) -cne $publisher) { return 'bad_signature' }
  if ((Get-Item $candidate).VersionInfo.ProductVersion -ne $to) { return 'wrong_contents' }
  Move-Item -Force $candidate (Join-Path $Safe "$to.exe")
}

if ($state.phase -eq 'idle' -and (Test-Path (Join-Path $Inbox 'request'))) {
  $installed = Get-Installed
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
  if (Install-Package $state.to) {
    Remove-Item -Force -ErrorAction SilentlyContinue (Join-Path $Inbox 'healthy')
    Write-State @{ phase = 'trial'; outcome = 'trial'; boot = (Get-Boot).ToString('o'); since = (Get-Date).ToString('o') }
    & "$env:SystemRoot\System32\schtasks.exe" /Run /TN 'Placard\Player'
    exit 0
  }
  Write-State @{ phase = 'returning'; outcome = 'returning'; code = 'install_failed' }
}

if ($state.phase -eq 'trial') {
  Clear-Inbox
  $healthy = Join-Path $Inbox 'healthy'
  if ((Test-Path $healthy) -and (Get-Content -TotalCount 1 $healthy) -eq $state.to) {
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
  if (-not (Install-Package $state.from)) { exit 75 } # tried again in 5 minutes
  Write-State @{ phase = 'idle'; outcome = 'rolled_back' }
  & "$env:SystemRoot\System32\schtasks.exe" /Run /TN 'Placard\Player'
}
