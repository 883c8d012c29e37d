# The administrator's part of the installer besides copying files; called by build/installer.nsh.
#   before   before any file is replaced: creates the folders, stops the player and disables its task
#   after    all files are copied: registers the tasks and the update helper, keeps the installer for a later rollback
#   remove   uninstalls
#
# NOT YET RUN ON WINDOWS.
param(
  [Parameter(Mandatory = $true)][ValidateSet('before', 'after', 'remove')][string]$Step,
  [string]$Program = '',
  [string]$Setup = '',
  [string]$Version = '',
  # Set when the helper installs an update: it starts the player itself, after recording that the trial has begun.
  [switch]$Updating
)
$ErrorActionPreference = 'Stop'
# Modules of the user who runs the installer must not run with administrator rights.
$env:PSModulePath = Join-Path $PSHOME 'Modules'

$Root = Join-Path ([Environment]::GetFolderPath('CommonApplicationData')) 'Placard'
$Folder = Join-Path $Root 'update'
$Key = 'HKLM:\SOFTWARE\Placard'
$Trusted = 'S-1-5-18', 'S-1-5-32-544' # SYSTEM, Administrators

# Owner Administrators, no inheritance. Everyone can read the settings; users can write files to the inbox but create no
# folders, so that it cannot contain a junction; packages and helper are run by SYSTEM.
$Readable = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)'
$Inbox = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;;0x1200eb;;;BU)(A;OIIO;0x1301bf;;;BU)'
$Private = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'

function New-Security([string]$sddl) {
  $security = New-Object Security.AccessControl.DirectorySecurity
  $security.SetSecurityDescriptorSddlForm($sddl)
  $security
}

function Test-Link([string]$path) {
  ([IO.File]::GetAttributes($path) -band [IO.FileAttributes]::ReparsePoint) -ne 0
}

function Test-TrustedOwner($security) {
  $Trusted -contains $security.GetOwner([Security.Principal.SecurityIdentifier]).Value
}

function Get-Rules($security) {
  $rules = foreach ($rule in $security.GetAccessRules($true, $true, [Security.Principal.SecurityIdentifier])) {
    '{0} {1} {2} {3} {4}' -f $rule.IdentityReference.Value, [int]$rule.FileSystemRights, $rule.InheritanceFlags, $rule.PropagationFlags, $rule.AccessControlType
  }
  ($rules | Sort-Object) -join ';'
}

# True for a real folder (no link) that administrators own and only they can write to.
function Test-Folder([string]$path, [string]$sddl) {
  if (-not [IO.Directory]::Exists($path) -or (Test-Link $path)) { return $false }
  $security = [IO.Directory]::GetAccessControl($path)
  (Test-TrustedOwner $security) -and $security.AreAccessRulesProtected -and
    (Get-Rules $security) -ceq (Get-Rules (New-Security $sddl))
}

# Created with its permissions, so there is no moment without them. A folder that a user created first has another owner.
function New-Folder([string]$path, [string]$sddl) {
  [void][IO.Directory]::CreateDirectory($path, (New-Security $sddl))
  if (-not (Test-Folder $path $sddl)) { throw "$path could not be restricted to administrators." }
}

# Every user can create folders in C:\ProgramData. An existing folder that this installer did not make is renamed as it
# is: no link in it is followed, nothing in it is changed or deleted. Only an administrator's settings are copied from it.
function Protect-Folders {
  if (-not (Test-Folder $Root $Readable)) {
    $aside = $null
    if ([IO.Directory]::Exists($Root) -or [IO.File]::Exists($Root) -or (Get-Item -LiteralPath $Root -Force -ErrorAction SilentlyContinue)) {
      $aside = '{0}-untrusted-{1}' -f $Root, [Guid]::NewGuid().ToString('N')
      [IO.Directory]::Move($Root, $aside)
      Write-Output "$Root was not created by this installer; it was renamed to $aside."
    }
    New-Folder $Root $Readable
    if ($aside) { Copy-Settings $aside }
  }
  # Only administrators can have created its contents.
  [void][IO.Directory]::CreateDirectory($Folder)
  foreach ($entry in @(@('inbox', $Inbox), @('packages', $Private), @('helper', $Private))) {
    $path = Join-Path $Folder $entry[0]
    if ([IO.Directory]::Exists($path)) { [IO.Directory]::SetAccessControl($path, (New-Security $entry[1])) }
    New-Folder $path $entry[1]
  }
}

function Copy-Settings([string]$aside) {
  $config = Join-Path $aside 'config.json'
  if (-not [IO.Directory]::Exists($aside) -or (Test-Link $aside)) { return }
  if (-not [IO.File]::Exists($config) -or (Test-Link $config)) { return }
  # A user cannot replace an administrator's file in an administrator's folder.
  if (-not (Test-TrustedOwner ([IO.Directory]::GetAccessControl($aside)))) { return }
  if (-not (Test-TrustedOwner ([IO.File]::GetAccessControl($config)))) { return }
  [IO.File]::WriteAllBytes((Join-Path $Root 'config.json'), [IO.File]::ReadAllBytes($config))
}

function Get-Uptime {
  [long]((Get-Date) - (Get-CimInstance Win32_OperatingSystem).LastBootUpTime).TotalMilliseconds
}

function Stop-Player {
  # Recorded for the update helper: it starts the player again when an installation was aborted.
  if (-not (Test-Path $Key)) { [void](New-Item -Path $Key -Force) }
  [void](New-ItemProperty -Path $Key -Name Installing -PropertyType QWord -Value (Get-Uptime) -Force)
  if (Get-ScheduledTask -TaskPath '\Placard\' -TaskName 'Player' -ErrorAction SilentlyContinue) {
    [void](Disable-ScheduledTask -TaskPath '\Placard\' -TaskName 'Player')
    Stop-ScheduledTask -TaskPath '\Placard\' -TaskName 'Player' -ErrorAction SilentlyContinue
  }
}

function Register-Task([string]$name, [string]$file) {
  $xml = [IO.File]::ReadAllText((Join-Path $Program "resources\windows\$file"))
  [void](Register-ScheduledTask -TaskPath '\Placard\' -TaskName $name -Xml $xml -Force)
}

function Start-Player {
  Register-Task 'Player' 'player-task.xml'
  Remove-ItemProperty -Path $Key -Name Installing -ErrorAction SilentlyContinue
  # For the user who is logged on, without waiting up to a minute for the task's trigger.
  Start-ScheduledTask -TaskPath '\Placard\' -TaskName 'Player'
}

function Register-Helper {
  Copy-Item -Force -LiteralPath (Join-Path $Program 'resources\windows\placard-update.ps1') -Destination (Join-Path $Folder 'helper\placard-update.ps1')
  $kept = Join-Path $Folder "packages\$Version.exe"
  # During an update the helper starts the installer from that folder.
  if ([IO.Path]::GetFullPath($Setup) -ne $kept) {
    Copy-Item -Force -LiteralPath $Setup -Destination "$kept.new"
    Move-Item -Force -LiteralPath "$kept.new" -Destination $kept
  }
  # An administrator may have disabled updates: keep them disabled.
  $before = Get-ScheduledTask -TaskPath '\Placard\' -TaskName 'Update' -ErrorAction SilentlyContinue
  Register-Task 'Update' 'update-task.xml'
  if ($before -and $before.State -eq 'Disabled') { [void](Disable-ScheduledTask -TaskPath '\Placard\' -TaskName 'Update') }
}

function Remove-All {
  foreach ($name in 'Player', 'Update') {
    Unregister-ScheduledTask -TaskPath '\Placard\' -TaskName $name -Confirm:$false -ErrorAction SilentlyContinue
  }
  # The task may have restarted the player since the uninstaller ended it.
  Get-Process -Name 'Placard' -ErrorAction SilentlyContinue | Where-Object { $_.Path -like "$Program\*" } |
    Stop-Process -Force -ErrorAction SilentlyContinue
  Remove-Item -Path $Key -Recurse -Force -ErrorAction SilentlyContinue
  if (Test-Folder $Root $Readable) { Remove-Item -LiteralPath $Folder -Recurse -Force }
}

try {
  switch ($Step) {
    'before' { Protect-Folders; Stop-Player }
    'after' { if (-not $Updating) { Start-Player }; Register-Helper }
    'remove' { Remove-All }
  }
} catch {
  Write-Output "Placard: $_"
  exit 1
}
