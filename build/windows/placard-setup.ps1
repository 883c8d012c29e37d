# What the installer does as administrator besides copying files; called by build/installer.nsh.
#   before   before a file of the program is touched: folders, and the player is stopped and stays stopped
#   after    all files are there: tasks, the update helper, and the installer itself as the way back from a later update
#   remove   the program is removed for good
#
# NOT YET RUN ON WINDOWS.
param(
  [Parameter(Mandatory = $true)][ValidateSet('before', 'after', 'remove')][string]$Step,
  [string]$Program = '',
  [string]$Setup = '',
  [string]$Version = '',
  # The helper installs an update: it starts the player itself, once it has written down that the trial begins.
  [switch]$Updating
)
$ErrorActionPreference = 'Stop'
# Modules of the user who starts an installer must not run with the rights of an administrator.
$env:PSModulePath = Join-Path $PSHOME 'Modules'

$Root = Join-Path ([Environment]::GetFolderPath('CommonApplicationData')) 'Placard'
$Folder = Join-Path $Root 'update'
$Key = 'HKLM:\SOFTWARE\Placard'
$Trusted = 'S-1-5-18', 'S-1-5-32-544' # SYSTEM, Administrators

# Owner Administrators, nothing inherited. Everybody reads the settings; users write the inbox, files but no folders, so
# that it holds no junction; packages and helper are what SYSTEM runs.
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

# A folder, no link, that belongs to administrators and lets nobody else write.
function Test-Folder([string]$path, [string]$sddl) {
  if (-not [IO.Directory]::Exists($path) -or (Test-Link $path)) { return $false }
  $security = [IO.Directory]::GetAccessControl($path)
  (Test-TrustedOwner $security) -and $security.AreAccessRulesProtected -and
    (Get-Rules $security) -ceq (Get-Rules (New-Security $sddl))
}

# The rights are there from the first moment. Whoever was faster has a folder with another owner.
function New-Folder([string]$path, [string]$sddl) {
  [void][IO.Directory]::CreateDirectory($path, (New-Security $sddl))
  if (-not (Test-Folder $path $sddl)) { throw "$path could not be made for administrators alone." }
}

# C:\ProgramData lets every user make folders. What was there before and is not ours is put aside as it is, links as
# links: nothing in it is followed, changed or deleted. Only settings that an administrator has left there are taken over.
function Protect-Folders {
  if (-not (Test-Folder $Root $Readable)) {
    $aside = $null
    if ([IO.Directory]::Exists($Root) -or [IO.File]::Exists($Root) -or (Get-Item -LiteralPath $Root -Force -ErrorAction SilentlyContinue)) {
      $aside = '{0}-untrusted-{1}' -f $Root, [Guid]::NewGuid().ToString('N')
      [IO.Directory]::Move($Root, $aside)
      Write-Output "$Root was not made by this installer and is now $aside."
    }
    New-Folder $Root $Readable
    if ($aside) { Copy-Settings $aside }
  }
  # Only administrators can have made what lies in it.
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
  # A user cannot exchange a file of an administrator in a folder of an administrator.
  if (-not (Test-TrustedOwner ([IO.Directory]::GetAccessControl($aside)))) { return }
  if (-not (Test-TrustedOwner ([IO.File]::GetAccessControl($config)))) { return }
  [IO.File]::WriteAllBytes((Join-Path $Root 'config.json'), [IO.File]::ReadAllBytes($config))
}

function Get-Uptime {
  [long]((Get-Date) - (Get-CimInstance Win32_OperatingSystem).LastBootUpTime).TotalMilliseconds
}

function Stop-Player {
  # The helper looks after it: an installation that was cut off must not leave the player switched off.
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
  # For who is logged on; the task's own trigger comes within a minute, too.
  Start-ScheduledTask -TaskPath '\Placard\' -TaskName 'Player'
}

function Register-Helper {
  Copy-Item -Force -LiteralPath (Join-Path $Program 'resources\windows\placard-update.ps1') -Destination (Join-Path $Folder 'helper\placard-update.ps1')
  $kept = Join-Path $Folder "packages\$Version.exe"
  # The helper starts the installer from there.
  if ([IO.Path]::GetFullPath($Setup) -ne $kept) {
    Copy-Item -Force -LiteralPath $Setup -Destination "$kept.new"
    Move-Item -Force -LiteralPath "$kept.new" -Destination $kept
  }
  # Who has switched updates off is obeyed.
  $before = Get-ScheduledTask -TaskPath '\Placard\' -TaskName 'Update' -ErrorAction SilentlyContinue
  Register-Task 'Update' 'update-task.xml'
  if ($before -and $before.State -eq 'Disabled') { [void](Disable-ScheduledTask -TaskPath '\Placard\' -TaskName 'Update') }
}

function Remove-All {
  foreach ($name in 'Player', 'Update') {
    Unregister-ScheduledTask -TaskPath '\Placard\' -TaskName $name -Confirm:$false -ErrorAction SilentlyContinue
  }
  # The task may have started it again since the uninstaller ended it.
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
